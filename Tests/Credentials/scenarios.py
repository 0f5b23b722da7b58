#!/usr/bin/env python3
"""Runs the programs of the folder Programs against real servers, and checks what they print and leave: see run.sh.

    scenarios.py --programs FOLDER [--only PART …]
    scenarios.py --servers          without programs: that the servers refuse what they should, with curl and boto3
"""

import argparse
import hashlib
import json
import os
import random
import secrets
import shutil
import signal
import string
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

import canaries
import servers

LIMIT = 90
PARTS = ['authlib', 'moto', 'registry', 'webdav']


class Run:
    """A run of a program that has ended."""

    def __init__(self, status, output, errors, seconds):
        self.status, self.output, self.errors, self.seconds = status, output, errors, seconds

    def __str__(self):
        log = '\n'.join(self.errors.splitlines()[-5:])
        return f'status {self.status}, {self.seconds:.1f} s\n{self.output}{log}'


class Suite:
    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.passed, self.failures, self.runs, self.secrets = 0, [], 0, set()
        self.private = folder / 'private'
        self.private.mkdir()
        self.processes = servers.Processes(folder)
        self.sink = servers.Sink()

    # Checks

    def check(self, name, *conditions, shows=None):
        """Notes a check. The run that it is about is shown only if it fails, without the secrets."""
        if all(conditions):
            self.passed += 1
            print(f'ok      {name}', flush=True)
            return
        self.failures.append(name)
        print(f'FAILED  {name}: condition {conditions.index(next(each for each in conditions if not each)) + 1}', flush=True)
        text = str(shows or '')
        for secret in self.secrets:
            text = text.replace(secret, '(secret)')
        print(''.join(f'        {line}\n' for line in text.splitlines()), end='', flush=True)

    # Programs

    def start(self, name, *arguments, **environment):
        """Starts a program in a folder of its own, in which it leaves all its files."""
        self.runs += 1
        folder = self.folder / 'runs' / f'{self.runs:03}-{name}'
        for part in ('work', 'tmp', 'home'):
            (folder / part).mkdir(parents=True)
        kept = {name: value for name, value in os.environ.items() if name in ('PATH', 'LANG', 'LD_LIBRARY_PATH')}
        kept |= {'TMPDIR': str(folder / 'tmp'), 'HOME': str(folder / 'home')} | environment
        process = subprocess.Popen(
            [str(self.programs / name), *map(str, arguments)], cwd=folder / 'work', env=kept,
            stdin=subprocess.DEVNULL, stdout=open(folder / 'stdout', 'wb'), stderr=open(folder / 'stderr', 'wb'),
        )
        # If the script ends early, the program ends too.
        self.processes.running.append(process)
        process.folder, process.since = folder, time.monotonic()
        return process

    def finish(self, process):
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = 'time limit'
        seconds = time.monotonic() - process.since
        output, errors = ((process.folder / name).read_text(errors='replace') for name in ('stdout', 'stderr'))
        return Run(status, output, errors, seconds)

    def run(self, name, *arguments, **environment):
        return self.finish(self.start(name, *arguments, **environment))

    def await_line(self, process, word):
        """Returns the first line with a word that a running program prints."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            for line in (process.folder / 'stdout').read_text(errors='replace').split('\n')[:-1]:
                if word in line:
                    return line
            if process.poll() is not None:
                break
            time.sleep(0.05)
        return ''

    # Secrets

    def check_secrets(self, name):
        """Looks for all secrets in what the programs have left, in their temporary files, and at the other origin."""
        files = [path for path in (self.folder / 'runs').rglob('*') if path.is_file()]
        contents = [(path.relative_to(self.folder), path.read_bytes()) for path in files]
        contents.append(('requests at the other origin', '\n'.join(self.sink.received).encode()))
        archives = [path for path in files if path.name == 'calls.har']
        places = canaries.found(sorted(self.secrets), contents)
        logs = [content for path, content in contents if Path(path).name == 'stderr']
        self.check(
            f'{name}: none of {len(self.secrets)} secrets in {len(files)} files, {len(archives)} archives and '
            f'{len(self.sink.received)} requests at another origin',
            not places, self.secrets, archives, any(logs),
            shows='\n'.join(sorted({f'secret {number} in {place}' for place, number in places})),
        )


# Authlib


def make_key(suite, name):
    """Returns the path of a private key, and its public key in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    suite.secrets.update(line for line in text.split('\n') if len(line) > 30 and '-' not in line)
    path = suite.private / name
    path.write_text(text)
    path.chmod(0o600)
    return path, key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def authlib(suite):
    secret = secrets.token_urlsafe(24) + ':%/ä'
    suite.secrets.add(secret)
    key, other_key = make_key(suite, 'key.pem'), make_key(suite, 'other.pem')
    issuer = suite.processes.start_python(sys.executable, 'authlib_server.py', CLIENT_SECRET=secret, CLIENT_PUBLIC_KEY=key[1])
    api, store = f'{issuer}/api', suite.private / 'login.json'
    wrong = secrets.token_urlsafe(24)
    suite.secrets.add(wrong)

    def faults(**values):
        servers.fetch(f'{issuer}/faults', '&'.join(f'{name}={value}' for name, value in values.items()).encode())

    def tokens():
        return (suite.folder / 'authlib_server.py.log').read_text().count('POST /token ')

    before = tokens()
    run = suite.run('ClientCredentials', issuer, 'basic', api, api, api, CLIENT_SECRET=secret)
    suite.check('client credentials, Basic: three calls, one token', run.output == 'welcome\n' * 3, run.status == 0,
                tokens() - before == 1, shows=run)
    run = suite.run('ClientCredentials', issuer, 'post', api, CLIENT_SECRET=secret, SECRET_IN_CONTENT='1')
    suite.check('client credentials, secret in the content', run.output == 'welcome\n', shows=run)
    run = suite.run('ClientCredentials', issuer, 'basic', api, CLIENT_SECRET=wrong)
    suite.check('client credentials, wrong secret: the reason is the server’s', run.status == 1,
                'credential-refresh-failed' in run.output, 'status 401, invalid_client' in run.output, shows=run)
    before = tokens()
    run = suite.run('ClientCredentials', issuer, 'key', api, api, CLIENT_KEY=key[0])
    suite.check('client credentials, private_key_jwt', run.output == 'welcome\n' * 2, tokens() - before == 1, shows=run)
    run = suite.run('ClientCredentials', issuer, 'key', api, CLIENT_KEY=other_key[0])
    suite.check('client credentials, private_key_jwt with another key', run.status == 1,
                'status 400, invalid_client' in run.output, shows=run)
    run = suite.run('ClientCredentials', issuer, 'basic', f'{issuer}/away?to={suite.sink.url}/page', CLIENT_SECRET=secret)
    suite.check('client credentials, redirect to another origin', run.output == 'elsewhere\n', shows=run)
    faults(delay=15)
    run = suite.run('ClientCredentials', issuer, 'basic', api, CLIENT_SECRET=secret)
    suite.check('client credentials, slow server: the timeout',
                any(word in run.output for word in ('timed', 'longer')), 9 < run.seconds < 14, shows=run)
    faults()

    dead = servers.Faults()
    for name, words in {
        'refuses': ['credential-refresh-failed'], 'closes': ['credential-refresh-failed'],
        'half': ['credential-refresh-failed'], 'silent': [], 'broken': ['500'], 'basic': ['Bearer'],
        'other': ['authorization-failed', 'another issuer'], 'missing': ['authorization-failed', '404'],
        'garbage': ['authorization-failed'],
    }.items():
        run = suite.run('ClientCredentials', f'{dead.url}/{name}', 'basic', api, CLIENT_SECRET=secret)
        suite.check(f'client credentials, server with the fault “{name}”', run.status == 1, 'failed: ' in run.output,
                    *(word in run.output for word in words), run.seconds < 20, shows=run)

    def device(name, *conditions, decision=None, act=None, server=issuer):
        process = suite.start('DeviceLogin', server, 'public', api, store)
        line = suite.await_line(process, 'enter')
        if decision:
            code = line.rpartition(' ')[2]
            servers.fetch(f'{issuer}/verify?user_code={code}&decision={decision}')
        if act:
            act(process)
        run = suite.finish(process)
        suite.check(f'device code, {name}', *(condition(run) for condition in conditions), shows=run)

    device('allowed', lambda run: run.output.endswith('\nwelcome\n'), lambda run: run.status == 0, decision='allow')
    suite.check('device code: the stored login is private', store.exists() and store.stat().st_mode & 0o777 == 0o600)
    def allow_after_question(process):
        before, end = tokens(), time.monotonic() + 20
        while tokens() == before and time.monotonic() < end:
            time.sleep(0.05)
        code = suite.await_line(process, 'enter').rpartition(' ')[2]
        servers.fetch(f'{issuer}/verify?user_code={code}&decision=allow')

    faults(slow_down=1)
    device('slow_down: asked again after 5 more seconds', lambda run: run.output.endswith('\nwelcome\n'),
           lambda run: 6.5 < run.seconds < 20, act=allow_after_question)
    faults()
    device('denied: the reason is the server’s', lambda run: 'access_denied' in run.output,
           lambda run: 'authorization-failed' in run.output, lambda run: run.status == 1, decision='deny')
    faults(expires_in=3)
    device('expired', lambda run: 'expired_token' in run.output, lambda run: run.seconds < 15)
    faults()
    device('cancelled', lambda run: 'failed: cancelled' in run.output, lambda run: run.seconds < 10,
           act=lambda process: process.send_signal(signal.SIGINT))
    for name in ('refuses', 'closes', 'missing'):
        device(f'server with the fault “{name}”', lambda run: run.status == 1, lambda run: 'failed: ' in run.output,
               lambda run: run.seconds < 20, server=f'{dead.url}/{name}')

    def browser(name, *conditions, login='', notes=None):
        store.unlink(missing_ok=True)
        file = suite.private / f'browser-{suite.runs}'
        run = suite.run('BrowserLogin', issuer, 'public', api, store, BROWSER=str(servers.HERE / 'browser.py'),
                        BROWSER_NOTES=str(file), LOGIN=login)
        done, end = Path(f'{file}.done'), time.monotonic() + 30
        while not done.exists() and time.monotonic() < end:
            time.sleep(0.1)
        seen = dict(line.rsplit(' ', 1) for line in done.read_text().split('\n') if line) if done.exists() else {}
        expected = {'icon': '404', 'path': '404', 'login': '200', 'closed': 'True'} | (notes or {})
        suite.check(f'browser, {name}', *(condition in run.output for condition in conditions), seen == expected,
                    shows=f'{run}\n{seen}')
        return run

    browser('allowed', 'welcome')
    login = store.read_bytes() if store.exists() else b''
    browser('a wrong state gets 404 and does not end the login', 'welcome', login='state',
            notes={'login': '404', 'then': '200'})
    browser('denied: the reason is the server’s', 'authorization-failed', 'access_denied', login='deny')
    browser('wrong code: the reason is the server’s', 'authorization-failed', 'invalid_grant', login='code')
    browser('wrong issuer', 'authorization-failed', 'another issuer', login='issuer')

    faults(expires_in=1)
    browser('token of one second', 'welcome')
    faults()
    before, old = tokens(), store.read_bytes()
    run = suite.run('StoredLogin', issuer, 'public', store, *[api] * 4)
    suite.check('refresh: four calls, one renewal', run.output == 'The login was renewed.\n' + 'welcome\n' * 4,
                tokens() - before == 1, shows=run)
    new = store.read_bytes()
    suite.check('refresh: the new login is stored, and private', new != old, store.stat().st_mode & 0o777 == 0o600)
    before = tokens()
    run = suite.run('StoredLogin', issuer, 'public', store, api)
    suite.check('refresh: a valid token is not renewed', run.output == 'welcome\n', tokens() == before, shows=run)
    store.write_bytes(old)
    run = suite.run('StoredLogin', issuer, 'public', store, api)
    suite.check('refresh token used twice: the reason is the server’s', run.status == 1, 'invalid_grant' in run.output,
                'used already' in run.output, shows=run)
    store.write_bytes(new)
    run = suite.run('StoredLogin', issuer, 'public', store, api)
    suite.check('refresh token of a revoked family', run.status == 1, 'invalid_grant' in run.output, shows=run)
    store.write_bytes(login)
    run = suite.run('StoredLogin', issuer, 'public', store, api)
    suite.check('another login is not revoked', run.output == 'welcome\n', shows=run)

    suite.secrets.update(json.loads(servers.fetch(f'{issuer}/secrets')))
    suite.check_secrets('Authlib')


# moto


KEYS = [
    'plain.txt', 'a blank', 'two  blanks ', '100%', '100%25', '%41', 'é/日本/😀', 'e\u0301', '..hidden', 'a..b/v1.',
    'a//b', 'a/./b', 'a/../b', 'x+y&z=1', "q'(1)*!~$,;:@", 'a?b#c', '[1]', 'back\\slash', 'a"b<c>|^`{}',
]


def moto(suite):
    endpoint = suite.processes.start_python(sys.executable, 'moto_server.py')
    made = json.loads(servers.fetch(f'{endpoint}/control/keys', b''))
    suite.secrets.add(made['secret'])
    keys = {'AWS_ACCESS_KEY_ID': made['id'], 'AWS_SECRET_ACCESS_KEY': made['secret']}
    region = 'us-east-1'

    run = suite.run('ObjectStorage', endpoint, region, 'keys', *KEYS, **keys)
    suite.check(f'S3: {len(KEYS)} keys with blanks, %, Unicode and dots', run.status == 0,
                run.output.count(' is stored\n') == len(KEYS),
                sorted(line[8:] for line in run.output.split('\n') if line.startswith('listed: ')) == sorted(KEYS),
                shows=run)
    wrong = ''.join(random.choices(string.ascii_letters + string.digits, k=40))
    suite.secrets.add(wrong)
    run = suite.run('ObjectStorage', endpoint, region, 'keys', 'a', **keys | {'AWS_SECRET_ACCESS_KEY': wrong})
    suite.check('S3, wrong secret: 403, and the reason is the server’s', run.status == 1, ', 403, ' in run.output,
                'signature' in run.output, shows=run)
    run = suite.run('ObjectStorage', endpoint, region, 'keys', 'a', **keys | {'AWS_ACCESS_KEY_ID': 'AKIAAAAAAAAAAAAAAAAA'})
    suite.check('S3, unknown key: 403, and the reason is the server’s', ', 403, ' in run.output,
                'does not exist' in run.output, shows=run)
    run = suite.run('ObjectStorage', endpoint, region, 'keys', 'a')
    suite.check('S3 without keys: nothing is sent', 'no AWS credentials' in run.output, shows=run)

    file = suite.private / 'large file é.bin'
    file.write_bytes(random.randbytes(9 << 20 | 4321))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    before = json.loads(servers.fetch(f'{endpoint}/control/times'))
    run = suite.run('LargeObject', endpoint, region, 'large', file, digest, **keys)
    times = json.loads(servers.fetch(f'{endpoint}/control/times'))
    suite.check('S3: a file of 9 MiB in signed chunks, a verified download, a presigned URL', run.status == 0, run.output == (
        'The copy has the digest.\nThe link works.\nA changed link has the status 403\n'), shows=run)
    suite.check('S3: each chunk was signed', times.get('chunks', 0) - before.get('chunks', 0) == (9 << 20 >> 16) + 2,
                times.get('streaming') == 1, times.get('presigned') == 2, shows=times)
    run = suite.run('LargeObject', endpoint, region, 'large', file, '0' * 64, **keys)
    left = [path.name for path in suite.folder.glob('runs/*-LargeObject/work/copy*')]
    suite.check('S3: a download with another digest', 'digest-mismatch' in run.output, len(left) == 1, shows=run)

    run = suite.run('TemporaryKeys', endpoint, region, made['role'], **keys)
    suite.check('STS: temporary keys of a role', run.output == 'bucket: keys\nbucket: large\n', shows=run)
    temporary = temporary_keys(endpoint, made)
    suite.secrets |= {temporary['SecretAccessKey'], temporary['SessionToken']}
    run = suite.run('ObjectStorage', endpoint, region, 'keys', 'a b', AWS_ACCESS_KEY_ID=temporary['AccessKeyId'],
                    AWS_SECRET_ACCESS_KEY=temporary['SecretAccessKey'], AWS_SESSION_TOKEN=temporary['SessionToken'])
    suite.check('S3 with a session token', run.status == 0, 'a b is stored' in run.output, shows=run)
    run = suite.run('LargeObject', endpoint, region, 'large', file, digest, AWS_ACCESS_KEY_ID=temporary['AccessKeyId'],
                    AWS_SECRET_ACCESS_KEY=temporary['SecretAccessKey'], AWS_SESSION_TOKEN=temporary['SessionToken'])
    suite.check('S3: signed chunks and a presigned URL with a session token', run.status == 0,
                'The link works.' in run.output, shows=run)
    run = suite.run('ObjectStorage', endpoint, region, 'keys', 'a b', AWS_ACCESS_KEY_ID=temporary['AccessKeyId'],
                    AWS_SECRET_ACCESS_KEY=temporary['SecretAccessKey'], AWS_SESSION_TOKEN='another')
    suite.check('S3, wrong session token: 400, and the reason is the server’s', ', 400, ' in run.output,
                'token is malformed' in run.output, shows=run)
    suite.secrets |= set(json.loads(servers.fetch(f'{endpoint}/control/secrets')))
    suite.check_secrets('moto')


def client(endpoint, service, key, secret, token=None, **settings):
    import boto3
    from botocore.config import Config

    config = Config(
        signature_version='s3v4' if service == 's3' else 'v4', retries={'max_attempts': 0},
        request_checksum_calculation='when_required', s3={'addressing_style': 'path', 'payload_signing_enabled': True},
    )
    return boto3.client(service, endpoint_url=endpoint, region_name='us-east-1', aws_access_key_id=key,
                        aws_secret_access_key=secret, aws_session_token=token, config=config)


def temporary_keys(endpoint, made):
    sts = client(endpoint, 'sts', made['id'], made['secret'])
    return sts.assume_role(RoleArn=made['role'], RoleSessionName='session')['Credentials']


# docker-registry


def push(registry, tokens, repository, blobs):
    """Pushes an image with blobs, and returns their digests."""
    import base64

    pair = base64.b64encode(f'{tokens.user}:{tokens.password}'.encode()).decode()
    url = f'{tokens.url}/token?service=registry.test&scope=repository:{repository}:pull,push'
    bearer = {'Authorization': f'Bearer {json.loads(servers.fetch(url, Authorization=f"Basic {pair}"))["token"]}'}

    def send(method, url, content, kind):
        fields = bearer | {'Content-Type': kind}
        request = urllib.request.Request(url, data=content, headers=fields, method=method)
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.headers

    def blob(content):
        digest = 'sha256:' + hashlib.sha256(content).hexdigest()
        place = send('POST', f'{registry}/v2/{repository}/blobs/uploads/', b'', 'text/plain')['Location']
        send('PUT', f'{place}&digest={digest}', content, 'application/octet-stream')
        return {'mediaType': 'application/octet-stream', 'size': len(content), 'digest': digest}

    manifest = {
        'schemaVersion': 2, 'mediaType': 'application/vnd.docker.distribution.manifest.v2+json',
        'config': blob(b'{}') | {'mediaType': 'application/vnd.docker.container.image.v1+json'},
        'layers': [blob(content) for content in blobs],
    }
    send('PUT', f'{registry}/v2/{repository}/manifests/latest', json.dumps(manifest).encode(), manifest['mediaType'])
    return [layer['digest'] for layer in manifest['layers']]


def registry(suite):
    tokens = servers.RegistryTokens(suite.folder)
    url = servers.start_registry(suite.processes, tokens, suite.folder)
    realm = f'{tokens.url}/token'
    digests = {name: push(url, tokens, name, [random.randbytes(50_000) for _ in range(32)]) for name in ('tea', 'a/cup')}
    suite.secrets |= {tokens.password, *tokens.issued}
    tokens.counts.clear()

    run = suite.run('RegistryPull', url, realm, tokens.user, 'tea', *digests['tea'], REGISTRY_PASSWORD=tokens.password)
    suite.check('registry: 32 blobs at once, all refused at first', run.output == '32 blobs\n', shows=run)
    suite.check('registry: one token for all', tokens.counts == {'repository:tea:pull': 1}, shows=tokens.counts)
    run = suite.run('RegistryPull', url, realm, tokens.user, 'a/cup', REGISTRY_PASSWORD=tokens.password)
    suite.check('registry: the blobs of a manifest, one token for another scope', run.output == '32 blobs\n',
                tokens.counts == {'repository:tea:pull': 1, 'repository:a/cup:pull': 1}, shows=run)
    wrong = secrets.token_urlsafe(24)
    suite.secrets.add(wrong)
    tokens.counts.clear()
    run = suite.run('RegistryPull', url, realm, tokens.user, 'tea', REGISTRY_PASSWORD=wrong)
    suite.check('registry: wrong password, one question', run.status == 1, 'credential-refresh-failed' in run.output,
                sum(tokens.counts.values()) == 1, shows=run)
    tokens.counts.clear()
    run = suite.run('RegistryPull', url, 'https://auth.example.com/token', tokens.user, 'tea', *digests['tea'][:2],
                    REGISTRY_PASSWORD=tokens.password)
    suite.check('registry: a realm that the user does not trust gets no request', run.status == 1, not tokens.counts,
                'credential-refresh-failed' in run.output, shows=run)
    suite.secrets |= set(tokens.issued)
    suite.check_secrets('docker-registry')


# wsgidav


def webdav(suite):
    password = secrets.token_urlsafe(24) + ' :%/ä'
    suite.secrets.add(password)
    url = servers.start_webdav(suite.processes, sys.executable, suite.folder, 'ada', password) + '/notes.txt'
    file = suite.private / 'notes.txt'
    file.write_bytes(random.randbytes(300_000))
    run = suite.run('WebDAVFile', url, 'ada', file, WEBDAV_PASSWORD=password)
    suite.check('WebDAV: PUT and GET with Digest', run.output == 'PUT 201\nThe copy is the same.\n', shows=run)
    stored = suite.folder / 'webdav' / 'notes.txt'
    suite.check('WebDAV: the server has the file', stored.exists() and stored.read_bytes() == file.read_bytes())
    wrong = secrets.token_urlsafe(24)
    suite.secrets.add(wrong)
    file.write_bytes(b'other')
    for name, user, used in (('wrong password', 'ada', wrong), ('unknown user', 'bob', password)):
        run = suite.run('WebDAVFile', url, user, file, WEBDAV_PASSWORD=used)
        suite.check(f'WebDAV: {name}, 401', run.status == 1, ', 401, ' in run.output, stored.stat().st_size == 300_000,
                    shows=run)
    suite.check_secrets('wsgidav')


# The servers alone


def check_servers(suite):
    """Checks that the servers refuse what they should, so that a program that passes has proved something."""
    def curl(*arguments):
        command = ['curl', '--silent', '--show-error', '--max-time', '30', '--output', '/dev/null', '--write-out',
                   '%{http_code}', *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT).stdout

    run = subprocess.run([sys.executable, servers.HERE / 'authlib_server.py', '--check'], capture_output=True, text=True,
                         timeout=LIMIT)
    suite.check('Authlib: each grant, by Flask’s client', run.stdout == 'each grant works\n', shows=run.stderr)

    endpoint = suite.processes.start_python(sys.executable, 'moto_server.py')
    made = json.loads(servers.fetch(f'{endpoint}/control/keys', b''))
    s3 = client(endpoint, 's3', made['id'], made['secret'])
    s3.create_bucket(Bucket='keys')
    for key in KEYS:
        s3.put_object(Bucket='keys', Key=key, Body=key.encode())
    names = [item['Key'] for item in s3.list_objects_v2(Bucket='keys')['Contents']]
    same = all(s3.get_object(Bucket='keys', Key=key)['Body'].read() == key.encode() for key in KEYS)
    suite.check('moto: boto3 stores each key', sorted(names) == sorted(KEYS), same, shows=names)

    def refusal(s3):
        from botocore.exceptions import ClientError

        try:
            s3.list_objects_v2(Bucket='keys')
        except ClientError as error:
            return error.response['Error']['Code']

    suite.check('moto: a wrong secret', refusal(client(endpoint, 's3', made['id'], 'x' * 40)) == 'SignatureDoesNotMatch')
    suite.check('moto: no signature', curl(f'{endpoint}/keys/a') == '403')
    link = s3.generate_presigned_url('get_object', Params={'Bucket': 'keys', 'Key': 'a blank'}, ExpiresIn=60)
    suite.check('moto: a presigned URL', curl(link) == '200', curl(link.replace('a%20blank', 'a//b')) == '403',
                curl(link.replace('Expires=60', 'Expires=61')) == '403')
    temporary = temporary_keys(endpoint, made)
    pair = temporary['AccessKeyId'], temporary['SecretAccessKey']
    suite.check('moto: session tokens', refusal(client(endpoint, 's3', *pair, temporary['SessionToken'])) is None,
                refusal(client(endpoint, 's3', *pair, 'another')) == 'InvalidToken')
    empty = hashlib.sha256(b'').hexdigest()
    for name, content, status in (('the signed content', '', '200'), ('other content', 'x', '403')):
        suite.check(f'moto: curl’s signature with {name}', curl(
            '--aws-sigv4', 'aws:amz:us-east-1:s3', '--user', f'{made["id"]}:{made["secret"]}', '--request', 'PUT',
            '--header', f'X-Amz-Content-Sha256: {empty}', '--header', 'Content-Type: text/plain', '--data-binary', content,
            f'{endpoint}/keys/curl') == status)
    content = random.randbytes(200_000)
    changed = content[:150_000] + bytes([content[150_000] ^ 1]) + content[150_001:]
    suite.check('moto: signed chunks', put_streamed(endpoint, made, content, content) == 200)
    suite.check('moto: a changed chunk', put_streamed(endpoint, made, content, changed) == 403)

    tokens = servers.RegistryTokens(suite.folder)
    url = servers.start_registry(suite.processes, tokens, suite.folder)
    digests = push(url, tokens, 'tea', [b'one', b'two'])
    blob = f'{url}/v2/tea/blobs/{digests[0]}'
    suite.check('docker-registry: no token, and a token of another repository', curl(blob) == '401', curl(
        '--header', f'Authorization: Bearer {tokens.token("registry.test", ["repository:cup:pull"])}', blob) == '401')
    suite.check('docker-registry: a token', curl(
        '--header', f'Authorization: Bearer {tokens.token("registry.test", ["repository:tea:pull"])}', blob) == '200')

    url = servers.start_webdav(suite.processes, sys.executable, suite.folder, 'ada', 'pass word') + '/notes.txt'
    source = str(Path(__file__).resolve())
    suite.check('wsgidav: Digest', curl('--digest', '--user', 'ada:pass word', '--upload-file', source, url) == '201',
                curl('--digest', '--user', 'ada:pass', url) == '401', curl('--user', 'ada:pass word', url) == '401')
    canaries.self_test()
    suite.check('the search for secrets', True)


def put_streamed(endpoint, made, content, sent):
    """Sends content with the chunk signatures of other content, and returns the status."""
    import hmac

    from botocore.auth import S3SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    class Streaming(S3SigV4Auth):
        def payload(self, request):
            return 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'

    request = AWSRequest('PUT', f'{endpoint}/keys/chunks', headers={
        'Content-Type': 'text/plain', 'Content-Encoding': 'aws-chunked', 'X-Amz-Decoded-Content-Length': str(len(content)),
    })
    Streaming(Credentials(made['id'], made['secret']), 's3', 'us-east-1').add_auth(request)
    time_, signature = request.headers['X-Amz-Date'], request.headers['Authorization'].rpartition('Signature=')[2]
    scope = [time_[:8], 'us-east-1', 's3', 'aws4_request']
    key, body = f'AWS4{made["secret"]}'.encode(), b''
    for part in scope:
        key = hmac.digest(key, part.encode(), 'sha256')
    for start in range(0, len(content) + 65_536, 65_536):
        chunk = content[start:start + 65_536]
        text = ['AWS4-HMAC-SHA256-PAYLOAD', time_, '/'.join(scope), signature, hashlib.sha256(b'').hexdigest()]
        text = '\n'.join([*text, hashlib.sha256(chunk).hexdigest()])
        signature = hmac.digest(key, text.encode(), 'sha256').hex()
        body += f'{len(chunk):x};chunk-signature={signature}\r\n'.encode() + sent[start:start + 65_536] + b'\r\n'
    request = urllib.request.Request(request.url, data=body, headers=dict(request.headers), method='PUT')
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def main():
    parser = argparse.ArgumentParser(description='Runs programs with credentials against real servers.')
    parser.add_argument('--programs', type=Path, help='folder of the built programs')
    parser.add_argument('--servers', action='store_true', help='check the servers alone')
    parser.add_argument('--only', nargs='+', choices=PARTS, default=PARTS)
    parser.add_argument('--keep', action='store_true', help='keep the folder of the run')
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix='larkspur-credentials-'))
    suite = Suite(arguments.programs, folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        if arguments.servers:
            check_servers(suite)
        else:
            for part in arguments.only:
                try:
                    globals()[part](suite)
                except (OSError, RuntimeError) as error:
                    # For example, a program that has failed has not written its file.
                    suite.check(f'{part}: the part comes to its end', False, shows=error)
    finally:
        suite.processes.stop()
        if arguments.keep:
            print(folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print(f'{suite.passed} checks passed, {len(suite.failures)} failed, {suite.runs} runs of programs.')
    for name in suite.failures:
        print(f'  failed: {name}')
    sys.exit(1 if suite.failures or not suite.passed else 0)


if __name__ == '__main__':
    main()
