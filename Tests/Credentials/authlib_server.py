#!/usr/bin/env python3
"""An authorization server of Authlib and Flask on 127.0.0.1, against which the grants of LarkspurCredentials run.

    python3 -m venv VENV && VENV/bin/pip install authlib flask
    VENV/bin/python Tests/Credentials/authlib_server.py [PORT]     prints its issuer, and serves until it is killed
    VENV/bin/python Tests/Credentials/authlib_server.py --check    runs each grant once with Flask's client

It has the grants client credentials, authorization code with PKCE, device authorization and refresh with rotation (a
refresh token that is used twice revokes its family), metadata (RFC 8414), and `/api`, which needs a Bearer token, as does `/away?to=URL`, which redirects. `GET /secrets` returns each secret that the
server has issued or received, so that run.sh can look for them where they must not be.

Clients: `basic` and `post` with the secret `s3cret:%/ä`, or that of the variable CLIENT_SECRET, `key` with the public key
in the variable CLIENT_PUBLIC_KEY (PEM, ES256), and `public` without a secret, for all grants and scopes.
The user never sees a page: `/authorize` redirects at once, `/verify?user_code=…&decision=allow|deny` decides for a device.

Faults, as parameters of the requests to /authorize (the server keeps none of them):
    login=deny      the redirect has error=access_denied
    login=state     a redirect with a wrong state comes before the right one, by `/then`
    login=code      the redirect has a wrong code
    login=issuer    the redirect names another issuer
And as fields of `POST /faults` (until the next one):
    delay=SECONDS   each token response is late by so much
    slow_down=N     the next N questions of a device get slow_down
    expires_in=N    the lifetime of access tokens and of device codes, in seconds
"""

import os
import secrets
import sys
import time
from urllib.parse import parse_qsl, urlencode

os.environ['AUTHLIB_INSECURE_TRANSPORT'] = '1'

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import ClientMixin, InvalidGrantError, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import (
    DEVICE_CODE_GRANT_TYPE,
    DeviceAuthorizationEndpoint,
    DeviceCodeGrant,
    DeviceCredentialMixin,
)
from flask import Flask, jsonify, redirect, request

SECRET = os.environ.get('CLIENT_SECRET', 's3cret:%/ä')


class Client(ClientMixin):
    def __init__(self, name, method):
        self.name, self.method = name, method

    def get_client_id(self):
        return self.name

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return scope or ''

    def check_redirect_uri(self, uri):
        return uri.startswith('http://127.0.0.1:') and uri.endswith('/callback')

    def check_client_secret(self, secret):
        return secrets.compare_digest(secret.encode(), SECRET.encode())

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.method

    def check_response_type(self, response_type):
        return response_type == 'code'

    def check_grant_type(self, grant_type):
        return True


class Token(TokenMixin):
    def __init__(self, client, family, **values):
        self.client, self.family, self.issued, self.revoked = client, family, time.time(), False
        self.access_token, self.refresh_token = values['access_token'], values.get('refresh_token')
        self.scope, self.expires_in = values.get('scope', ''), values['expires_in']

    def check_client(self, client):
        return self.client == client.name

    def get_scope(self):
        return self.scope

    def get_expires_in(self):
        return self.expires_in

    def is_expired(self):
        return time.time() >= self.issued + self.expires_in

    def is_revoked(self):
        return self.revoked

    def get_client(self):
        return CLIENTS[self.client]

    def get_user(self):
        return 'ada'


class Code:
    def __init__(self, client, redirect_uri, scope, challenge, method):
        self.client, self.redirect_uri, self.scope = client, redirect_uri, scope
        self.code_challenge, self.code_challenge_method = challenge, method

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope


class Device(dict, DeviceCredentialMixin):
    def get_client_id(self):
        return self['client_id']

    def get_scope(self):
        return self['scope']

    def get_user_code(self):
        return self['user_code']

    def is_expired(self):
        return time.time() >= self['expires_at']


CLIENTS = {
    'basic': Client('basic', 'client_secret_basic'),
    'post': Client('post', 'client_secret_post'),
    'key': Client('key', 'private_key_jwt'),
    'public': Client('public', 'none'),
}
TOKENS, CODES, DEVICES = [], {}, {}
SECRETS = {SECRET}
FAULTS = {'delay': 0.0, 'slow_down': 0, 'expires_in': 3600}
METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']

app = Flask(__name__)


def issuer():
    return f'http://{request.host}'


def save_token(values, request):
    # A family is all tokens that descend from one login.
    parent = getattr(request, 'refresh_token', None)
    family = parent.family if parent else secrets.token_hex(8)
    TOKENS.append(Token(request.client.name, family, **values))
    SECRETS.update(values[name] for name in ('access_token', 'refresh_token') if name in values)


def lifetime(*_):
    return FAULTS['expires_in']


server = AuthorizationServer(app, query_client=CLIENTS.get, save_token=save_token)


def generate(grant_type, client, user=None, scope=None, expires_in=None, include_refresh_token=True):
    values = {'token_type': 'Bearer', 'access_token': secrets.token_urlsafe(32), 'expires_in': lifetime()}
    if scope:
        values['scope'] = scope
    if include_refresh_token and grant_type != 'client_credentials':
        values['refresh_token'] = secrets.token_urlsafe(32)
    return values


server.register_token_generator('default', generate)


class KeyAssertion(JWTBearerClientAssertion):
    CLIENT_AUTH_METHOD = 'private_key_jwt'
    used = set()

    def get_audiences(self):
        return [f'{issuer()}/token']

    def resolve_client_public_key(self, client):
        return os.environ['CLIENT_PUBLIC_KEY'] if client.method == self.CLIENT_AUTH_METHOD else None

    def validate_jti(self, claims, jti):
        is_new = jti not in self.used
        self.used.add(jti)
        return is_new

    def process_assertion_claims(self, assertion, resolve_key):
        SECRETS.add(assertion)
        return super().process_assertion_claims(assertion, resolve_key)


server.register_client_auth_method(KeyAssertion.CLIENT_AUTH_METHOD, KeyAssertion())


class ClientCredentials(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS[:3]


class AuthorizationCode(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def save_authorization_code(self, code, request):
        data = request.payload.data
        SECRETS.add(code)
        CODES[code] = Code(
            request.client.name, data['redirect_uri'], request.payload.scope,
            data.get('code_challenge'), data.get('code_challenge_method'),
        )

    def query_authorization_code(self, code, client):
        found = CODES.get(code)
        return found if found and found.client == client.name else None

    def delete_authorization_code(self, code):
        self_code = next((name for name, value in CODES.items() if value is code), None)
        CODES.pop(self_code, None)

    def authenticate_user(self, code):
        return 'ada'


class Refresh(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        token = next((token for token in TOKENS if token.refresh_token == refresh_token), None)
        if token and token.revoked:
            # The second use of a refresh token: it was stolen, so its family ends (RFC 9700, section 4.14).
            for other in TOKENS:
                other.revoked |= other.family == token.family
            raise InvalidGrantError('The refresh token was used already.')
        return token

    def authenticate_user(self, refresh_token):
        return 'ada'

    def revoke_old_credential(self, refresh_token):
        refresh_token.revoked = True


class DeviceEndpoint(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = METHODS
    INTERVAL = 1

    def get_verification_uri(self):
        return f'{issuer()}/verify'

    def save_device_credential(self, client_id, scope, data):
        values = data | {'client_id': client_id, 'scope': scope or '', 'expires_at': time.time() + lifetime()}
        DEVICES[data['device_code']] = Device(values)
        SECRETS.add(data['device_code'])

    def create_endpoint_response(self, request):
        self.EXPIRES_IN = lifetime()
        return super().create_endpoint_response(request)


class DeviceGrant(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def query_device_credential(self, device_code):
        return DEVICES.get(device_code)

    def query_user_grant(self, user_code):
        device = next(device for device in DEVICES.values() if device['user_code'] == user_code)
        return ('ada', device['decision'] == 'allow') if 'decision' in device else None

    def should_slow_down(self, credential):
        if FAULTS['slow_down'] <= 0:
            return False
        FAULTS['slow_down'] -= 1
        return True


server.register_grant(ClientCredentials)
server.register_grant(AuthorizationCode, [CodeChallenge(required=True)])
server.register_grant(Refresh)
server.register_grant(DeviceGrant)
server.register_endpoint(DeviceEndpoint)


class Validator(BearerTokenValidator):
    def authenticate_token(self, text):
        return next((token for token in TOKENS if token.access_token == text), None)


protected = ResourceProtector()
protected.register_token_validator(Validator())


@app.get('/.well-known/oauth-authorization-server')
def metadata():
    return jsonify(
        issuer=issuer(),
        authorization_endpoint=f'{issuer()}/authorize',
        token_endpoint=f'{issuer()}/token',
        device_authorization_endpoint=f'{issuer()}/device',
        response_types_supported=['code'],
        grant_types_supported=['authorization_code', 'client_credentials', 'refresh_token', DEVICE_CODE_GRANT_TYPE],
        token_endpoint_auth_methods_supported=METHODS,
        code_challenge_methods_supported=['S256'],
        authorization_response_iss_parameter_supported=True,
    )


@app.post('/token')
def token():
    time.sleep(FAULTS['delay'])
    if verifier := request.form.get('code_verifier'):
        SECRETS.add(verifier)
    return server.create_token_response()


@app.post('/device')
def device():
    return server.create_endpoint_response(DeviceEndpoint.ENDPOINT_NAME)


@app.get('/verify')
def verify():
    for device in DEVICES.values():
        if device['user_code'] == request.args.get('user_code'):
            device['decision'] = request.args.get('decision', 'allow')
            return 'decided'
    return 'unknown', 404


def with_query(location, **changes):
    base, _, query = location.partition('?')
    return f'{base}?{urlencode(dict(parse_qsl(query)) | changes)}'


@app.get('/authorize')
def authorize():
    fault = request.args.get('login')
    grant = server.get_consent_grant(end_user='ada')
    response = server.create_authorization_response(grant=grant, grant_user=None if fault == 'deny' else 'ada')
    location = response.headers.get('Location')
    if not location:
        return response
    changes = {'iss': 'https://evil.example' if fault == 'issuer' else issuer()}
    if fault == 'code':
        changes['code'] = 'wrong'
    location = with_query(location, **changes)
    if fault == 'state':
        # The browser opens the wrong redirect, and `/then` afterwards.
        THEN.append(location)
        location = with_query(location, state='wrong', code='wrong')
    return redirect(location)


THEN = []


@app.get('/then')
def then():
    return redirect(THEN.pop())


@app.post('/faults')
def faults():
    FAULTS.update(delay=0.0, slow_down=0, expires_in=3600)
    for name, value in request.form.items():
        FAULTS[name] = float(value) if name == 'delay' else int(value)
    return jsonify(FAULTS)


@app.get('/api')
@protected()
def api():
    return 'welcome'


@app.get('/away')
@protected()
def away():
    return redirect(request.args['to'])


@app.get('/secrets')
def all_secrets():
    return jsonify(sorted(SECRETS))


def check():
    """Runs each grant once, and prints what is missing."""
    import base64
    import hashlib
    from urllib.parse import quote

    client = app.test_client()
    pair = base64.b64encode(f'basic:{quote(SECRET, safe="")}'.encode()).decode()
    basic = {'Authorization': f'Basic {pair}'}

    def post(status, headers=None, path='/token', **form):
        response = client.post(path, data=form, headers=headers)
        assert response.status_code == status, (form, response.status_code, response.text)
        return response.get_json()

    assert client.get('/.well-known/oauth-authorization-server').get_json()['issuer'] == 'http://localhost'
    first = post(200, basic, grant_type='client_credentials')
    assert client.get('/api', headers={'Authorization': f'Bearer {first["access_token"]}'}).text == 'welcome'
    assert client.get('/api').status_code == 401
    post(200, grant_type='client_credentials', client_id='post', client_secret=SECRET)
    assert post(401, grant_type='client_credentials', client_id='post', client_secret='x')['error'] == 'invalid_client'

    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b'=').decode()
    uri = 'http://127.0.0.1:1/callback'
    page = {
        'response_type': 'code', 'client_id': 'public', 'redirect_uri': uri, 'state': 'st', 'code_challenge': challenge,
        'code_challenge_method': 'S256',
    }

    def login(**changes):
        response = client.get('/authorize', query_string=page | changes)
        assert response.status_code == 302, response.text
        return dict(parse_qsl(response.headers['Location'].partition('?')[2]))

    form = {'grant_type': 'authorization_code', 'client_id': 'public', 'redirect_uri': uri}
    assert login()['iss'] == 'http://localhost' and login(login='deny')['error'] == 'access_denied'
    assert login(login='issuer')['iss'] != 'http://localhost' and login(login='state')['state'] == 'wrong'
    assert 'state=st' in client.get('/then').headers['Location']
    assert post(400, code=login(login='code')['code'], code_verifier=verifier, **form)['error'] == 'invalid_grant'
    assert post(400, code=login()['code'], code_verifier='a' * 43, **form)['error'] == 'invalid_grant'
    code = login()['code']
    tokens = post(200, code=code, code_verifier=verifier, **form)
    assert post(400, code=code, code_verifier=verifier, **form)['error'] == 'invalid_grant'

    form = {'grant_type': 'refresh_token', 'client_id': 'public'}
    rotated = post(200, refresh_token=tokens['refresh_token'], **form)
    assert rotated['refresh_token'] != tokens['refresh_token']
    assert post(400, refresh_token=tokens['refresh_token'], **form)['error'] == 'invalid_grant'
    assert post(400, refresh_token=rotated['refresh_token'], **form)['error'] == 'invalid_grant'

    form = {'grant_type': DEVICE_CODE_GRANT_TYPE, 'client_id': 'public'}
    for decision, status in (('allow', 200), ('deny', 400)):
        device = post(200, path='/device', client_id='public')
        form['device_code'] = device['device_code']
        assert post(400, **form)['error'] == 'authorization_pending'
        post(200, path='/faults', slow_down=1)
        assert post(400, **form)['error'] == 'slow_down'
        client.get('/verify', query_string={'user_code': device['user_code'], 'decision': decision})
        answer = post(status, **form)
        assert answer.get('error') == (None if decision == 'allow' else 'access_denied'), answer
    post(200, path='/faults', expires_in=0)
    form['device_code'] = post(200, path='/device', client_id='public')['device_code']
    assert post(400, **form)['error'] == 'expired_token'
    print('each grant works')


if __name__ == '__main__':
    if sys.argv[1:] == ['--check']:
        check()
    else:
        from werkzeug.serving import make_server

        http = make_server('127.0.0.1', int(sys.argv[1]) if len(sys.argv) > 1 else 0, app, threaded=True)
        print(f'http://127.0.0.1:{http.server_port}', flush=True)
        http.serve_forever()
