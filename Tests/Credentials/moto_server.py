#!/usr/bin/env python3
"""S3 and STS of moto on 127.0.0.1, with the signatures checked.

    python3 -m venv VENV && VENV/bin/pip install 'moto[server]'
    VENV/bin/python Tests/Credentials/moto_server.py      prints its URL, and serves until it is killed

moto compares the signature in the field Authorization with the one that botocore computes. It does not check the
content, the chunks of a streaming payload and presigned URLs, and it encodes a form anew before it computes the
signature. So `Verification` stands before it: it refuses content with another hash than the signed one, chunks with a
wrong signature or size, presigned URLs that are expired or changed, and forms with a wrong signature. Presigned requests
and forms that are right get the signature that moto computes.

`POST /control/keys` creates a user and a role, which may do everything, and returns `id`, `secret` and `role`.
`GET /control/times` returns how often each kind of payload was verified, and `GET /control/secrets` the temporary keys and
all signatures.
"""

import datetime
import hashlib
import hmac
import io
import json
import re
import sys
from collections import Counter
from urllib.parse import parse_qsl, urlencode, urlsplit

from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto import settings
from moto.core import DEFAULT_ACCOUNT_ID
from moto.iam.models import iam_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from moto.sts.models import sts_backends
from werkzeug.serving import make_server

EMPTY = hashlib.sha256(b'').hexdigest()
STREAMING = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
EVERYTHING = json.dumps({
    'Version': '2012-10-17', 'Statement': [{'Effect': 'Allow', 'Action': '*', 'Resource': '*'}],
})
TRUST = json.dumps({
    'Version': '2012-10-17',
    'Statement': [{'Effect': 'Allow', 'Action': 'sts:AssumeRole', 'Principal': {'AWS': '*'}}],
})

settings.INITIAL_NO_AUTH_ACTION_COUNT = 0


class Refusal(Exception):
    """The code and the message of an error of S3."""


def make_keys():
    iam = iam_backends[DEFAULT_ACCOUNT_ID]['aws']
    user = iam.create_user(region_name='us-east-1', user_name='ada')
    iam.put_user_policy(user.name, 'everything', EVERYTHING)
    key = iam.create_access_key(user_name=user.name)
    role = iam.create_role('keeper', TRUST, '/', None, 'A role.', [], 3600)
    iam.put_role_policy(role.name, 'everything', EVERYTHING)
    return {'id': key.access_key_id, 'secret': key.secret_access_key, 'role': role.arn}


def secret_of(key_id):
    for user in iam_backends[DEFAULT_ACCOUNT_ID]['aws'].list_users('/', None, None):
        for key in user.access_keys:
            if key.access_key_id == key_id:
                return key.secret_access_key, None
    for role in sts_backends[DEFAULT_ACCOUNT_ID]['aws'].assumed_roles:
        if role.access_key_id == key_id:
            return role.secret_access_key, role.session_token
    raise Refusal('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.')


def parts_of(field):
    _, parts = field.split(' ', 1)
    return dict(part.strip().split('=', 1) for part in parts.split(','))


def signed_fields(environ, names):
    fields = {name.removeprefix('HTTP_').lower().replace('_', '-'): value for name, value in environ.items()
              if name.startswith('HTTP_') or name in ('CONTENT_TYPE', 'CONTENT_LENGTH')}
    return {name: fields.get(name, '') for name in names.split(';')}


class Verification:
    def __init__(self, app):
        self.app, self.times, self.signatures = app, Counter(), set()

    def __call__(self, environ, start_response):
        try:
            if environ['PATH_INFO'] == '/control/keys':
                return self.send(start_response, '200 OK', json.dumps(make_keys()))
            if environ['PATH_INFO'] == '/control/times':
                return self.send(start_response, '200 OK', json.dumps(self.times))
            if environ['PATH_INFO'] == '/control/secrets':
                return self.send(start_response, '200 OK', json.dumps(sorted(self.secrets())))
            self.verify(environ)
        except Refusal as refusal:
            code, message = refusal.args
            text = f'<?xml version="1.0"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>'
            return self.send(start_response, '403 Forbidden', text, 'application/xml')
        return self.app(environ, start_response)

    def secrets(self):
        roles = sts_backends[DEFAULT_ACCOUNT_ID]['aws'].assumed_roles
        return self.signatures.union(*({role.secret_access_key, role.session_token} for role in roles))

    def send(self, start_response, status, text, kind='application/json'):
        content = text.encode()
        start_response(status, [('Content-Type', kind), ('Content-Length', str(len(content)))])
        return [content]

    def verify(self, environ):
        length = int(environ.get('CONTENT_LENGTH') or 0)
        content = environ['wsgi.input'].read(length)
        environ['wsgi.input'] = io.BytesIO(content)
        field = environ.get('HTTP_AUTHORIZATION', '')
        for text in (field, environ.get('QUERY_STRING', '')):
            self.signatures.update(re.findall('Signature=([0-9a-f]{64})', text))
        if 'X-Amz-Signature=' in environ.get('QUERY_STRING', ''):
            self.times['presigned'] += 1
            self.verify_query(environ, content)
        elif not field.startswith('AWS4-HMAC-SHA256 '):
            raise Refusal('AccessDenied', 'The request has no signature.')
        elif (hashed := environ.get('HTTP_X_AMZ_CONTENT_SHA256')) == STREAMING:
            self.times['streaming'] += 1
            self.verify_chunks(environ, field, content)
        elif hashed == 'UNSIGNED-PAYLOAD':
            self.times['unsigned'] += 1
        else:
            self.times['signed'] += 1
            if hashed and hashed != hashlib.sha256(content).hexdigest():
                raise Refusal('XAmzContentSHA256Mismatch', 'The content has another hash.')
            if environ.get('CONTENT_TYPE', '').startswith('application/x-www-form-urlencoded'):
                self.verify_form(environ, field, content)

    def verify_form(self, environ, field, content):
        parts = parts_of(field)
        key_id, _, region, service, _ = parts['Credential'].split('/')
        auth = SigV4Auth(Credentials(key_id, *secret_of(key_id)), service, region)

        def signature(content):
            request = AWSRequest(
                method=environ['REQUEST_METHOD'], url=f'http://{environ["HTTP_HOST"]}{environ["PATH_INFO"]}', data=content,
                headers=signed_fields(environ, parts['SignedHeaders']),
            )
            request.context['timestamp'] = environ['HTTP_X_AMZ_DATE']
            return auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)

        if not hmac.compare_digest(parts['Signature'], signature(content)):
            raise Refusal('SignatureDoesNotMatch', 'The signature of the form does not match.')
        form = urlencode(parse_qsl(content.decode(), keep_blank_values=True)).encode()
        environ['wsgi.input'], environ['CONTENT_LENGTH'] = io.BytesIO(form), str(len(form))
        if 'HTTP_X_AMZ_CONTENT_SHA256' in environ:
            environ['HTTP_X_AMZ_CONTENT_SHA256'] = hashlib.sha256(form).hexdigest()
        environ['HTTP_AUTHORIZATION'] = field.replace(parts['Signature'], signature(form))

    def verify_chunks(self, environ, field, content):
        parts = parts_of(field)
        key_id, day, region, service, end = parts['Credential'].split('/')
        secret, _ = secret_of(key_id)
        key = f'AWS4{secret}'.encode()
        for text in (day, region, service, end):
            key = hmac.digest(key, text.encode(), 'sha256')
        signature, rest, size, last = parts['Signature'], content, 0, None
        while last != 0:
            head, found, rest = rest.partition(b'\r\n')
            digits, extension, given = head.partition(b';chunk-signature=')
            if not found or not extension:
                raise Refusal('IncompleteBody', 'The chunks are malformed.')
            before, last = last, int(digits, 16)
            if last and before is not None and before < 8192:
                raise Refusal('InvalidChunkSizeError', 'Only the last chunk can have a size less than 8192 bytes')
            chunk, rest = rest[:last], rest[last:]
            if rest[:2] != b'\r\n':
                raise Refusal('IncompleteBody', 'A chunk has another size.')
            rest = rest[2:]
            text = '\n'.join([
                'AWS4-HMAC-SHA256-PAYLOAD', environ['HTTP_X_AMZ_DATE'], f'{day}/{region}/{service}/{end}', signature,
                EMPTY, hashlib.sha256(chunk).hexdigest(),
            ])
            signature = hmac.digest(key, text.encode(), 'sha256').hex()
            if given != signature.encode():
                raise Refusal('SignatureDoesNotMatch', 'The signature of a chunk does not match.')
            size += last
            self.times['chunks'] += 1
        if rest or size != int(environ['HTTP_X_AMZ_DECODED_CONTENT_LENGTH']):
            raise Refusal('IncompleteBody', 'The content has another length.')

    def verify_query(self, environ, content):
        target = environ.get('RAW_URI') or environ['REQUEST_URI']
        url = urlsplit(target)
        parameters = dict(parse_qsl(url.query, keep_blank_values=True))
        given = parameters.pop('X-Amz-Signature')
        key_id, _, region, service, _ = parameters['X-Amz-Credential'].split('/')
        secret, token = secret_of(key_id)
        if parameters.get('X-Amz-Security-Token') != token:
            raise Refusal('InvalidToken', 'The provided token is malformed or otherwise invalid.')
        moment = datetime.datetime.strptime(parameters['X-Amz-Date'], '%Y%m%dT%H%M%SZ')
        age = datetime.datetime.now(datetime.timezone.utc) - moment.replace(tzinfo=datetime.timezone.utc)
        if age.total_seconds() > int(parameters['X-Amz-Expires']):
            raise Refusal('AccessDenied', 'Request has expired')
        credentials = Credentials(key_id, secret, token)
        rest = '&'.join(part for part in url.query.split('&') if not part.startswith('X-Amz-Signature='))
        request = AWSRequest(
            method=environ['REQUEST_METHOD'], url=f'http://{environ["HTTP_HOST"]}{url.path}?{rest}',
            headers=signed_fields(environ, parameters['X-Amz-SignedHeaders']),
        )
        request.context['timestamp'] = parameters['X-Amz-Date']
        auth = S3SigV4QueryAuth(credentials, service, region)
        expected = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
        if not hmac.compare_digest(given, expected):
            raise Refusal('SignatureDoesNotMatch', 'The signature of the URL does not match.')
        # moto knows only signatures in a field.
        environ['QUERY_STRING'] = '&'.join(part for part in url.query.split('&') if not part.startswith('X-Amz-'))
        query = f'?{environ["QUERY_STRING"]}' if environ['QUERY_STRING'] else ''
        environ['RAW_URI'] = environ['REQUEST_URI'] = url.path + query
        again = AWSRequest(
            method=environ['REQUEST_METHOD'], url=f'http://{environ["HTTP_HOST"]}{url.path}{query}', data=content
        )
        S3SigV4Auth(credentials, service, region).add_auth(again)
        environ['HTTP_X_AMZ_CONTENT_SHA256'] = again.headers['X-Amz-Content-SHA256']
        environ['HTTP_X_AMZ_DATE'] = again.headers['X-Amz-Date']
        environ['HTTP_AUTHORIZATION'] = again.headers['Authorization']
        if token:
            environ['HTTP_X_AMZ_SECURITY_TOKEN'] = token


class Handler(MotoRequestHandler):
    protocol_version = 'HTTP/1.1'


if __name__ == '__main__':
    app = Verification(DomainDispatcherApplication(create_backend_app))
    http = make_server(
        '127.0.0.1', int(sys.argv[1]) if len(sys.argv) > 1 else 0, app, threaded=True, request_handler=Handler
    )
    print(f'http://127.0.0.1:{http.server_port}', flush=True)
    http.serve_forever()
