"""Random messages with the signatures of http-message-signatures (PyPI), one JSON object on each line.

    python3 -m venv venv && venv/bin/pip install http-message-signatures==3.0.0
    venv/bin/python Tests/Credentials/message_signatures_beside_python.py --count 3000 > messages.jsonl
    LARKSPUR_MESSAGE_SIGNATURES=$PWD/messages.jsonl swift test --filter MessageSignatureBesidePython

The seed is printed on standard error; --seed repeats a run (but not the signatures of RSA-PSS and ECDSA, and not the
keys). The messages are requests, and responses that cover components of their requests. Left out is what the package
does otherwise than RFC 9421 or does not do: hosts with capital letters and default ports in @target-uri, and trailers.
"""

import argparse
import base64
import datetime
import json
import random
import sys
from dataclasses import dataclass, field
from urllib.parse import quote

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from http_message_signatures import HTTPMessageSigner, MappingKeyResolver, algorithms

LETTERS = "abcXYZ019-_.~"
MARKS = " !\"#$%&'()*+,;=:@?[]^`{|}<>\\"
OTHERS = "éßøλЖ中日€\u0301\u212a😀\u00a0"
METHODS = ["GET", "PUT", "POST", "DELETE", "HEAD", "PATCH"]


@dataclass
class Request:
    method: str
    url: str
    headers: dict = field(default_factory=dict)


@dataclass
class Response:
    status_code: int
    headers: dict
    request: Request


def make_keys():
    private = {
        "rsa-pss-sha512": rsa.generate_private_key(public_exponent=65537, key_size=2048),
        "rsa-v1_5-sha256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
        "ecdsa-p256-sha256": ec.generate_private_key(ec.SECP256R1()),
        "ecdsa-p384-sha384": ec.generate_private_key(ec.SECP384R1()),
        "ed25519": ed25519.Ed25519PrivateKey.generate(),
    }
    public = {
        name: key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        for name, key in private.items()
    }
    return private, public


ALGORITHMS = {
    "hmac-sha256": algorithms.HMAC_SHA256,
    "rsa-pss-sha512": algorithms.RSA_PSS_SHA512,
    "rsa-v1_5-sha256": algorithms.RSA_V1_5_SHA256,
    "ecdsa-p256-sha256": algorithms.ECDSA_P256_SHA256,
    "ecdsa-p384-sha384": algorithms.ECDSA_P384_SHA384,
    "ed25519": algorithms.ED25519,
}


def text(rng, longest, marks=MARKS, others=OTHERS):
    alphabet = LETTERS * 3 + marks + others
    return "".join(rng.choice(alphabet) for _ in range(rng.randrange(longest + 1)))


def structured(rng):
    """Returns a dictionary with optional blanks, and its keys."""
    values = ["1", "2", "-1.50", '"a,b"', "tok/en", ":AQI=:", "?0", "(a   b;c)", "@12", "1;x=1;y"]
    keys = rng.sample(["a", "b-1", "*c", "d_.", "e"], rng.randrange(1, 5))
    members = [key if rng.random() < 0.2 else f"{key}={rng.choice(values)}" for key in keys]
    return rng.choice([", ", ",", " ,\t", ",   "]).join(members), keys


def fields(rng):
    headers, components = {}, []
    for number in range(rng.randrange(5)):
        name = rng.choice(["X-Field-", "x-field-"]) + str(number)
        kind = rng.random()
        if kind < 0.4:
            headers[name], keys = structured(rng)
            components += [f'"{name.lower()}";key="{key}"' for key in keys if rng.random() < 0.6]
        else:
            headers[name] = text(rng, 12, others="").strip()
        if rng.random() < 0.6:
            components.append(f'"{name.lower()}"')
        if rng.random() < 0.3:
            components.append(f'"{name.lower()}";bs')
    if rng.random() < 0.4:
        headers["Priority"], _ = rng.choice([("u=1,   i", 0), ("i,u=5;a", 0), ("u=3", 0)])
        components.append('"priority";sf')
    if rng.random() < 0.4:
        # The digests of {"hello": "world"}.
        headers["Content-Digest"] = (
            "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=: ,  sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX"
            "+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"
        )
        components += ['"content-digest"', '"content-digest";sf', '"content-digest";key="sha-512"'][: rng.randrange(1, 4)]
    return headers, components


def request(rng):
    pairs, names = [], {}
    for _ in range(rng.randrange(5)):
        name = text(rng, 4)
        value = text(rng, 6)
        encode = (lambda t: quote(t, safe="-_.~")) if rng.random() < 0.7 else (lambda t: quote(t, safe=" ").replace(" ", "+"))
        pairs.append(encode(name) + ("" if rng.random() < 0.1 else "=" + encode(value)))
        names[name] = names.get(name, 0) + 1
    path = "".join("/" + quote(text(rng, 6), safe="~!$&'()*+,;=:@") for _ in range(rng.randrange(4)))
    host = rng.choice(["example.com", "127.0.0.1", "[::1]", "xn--mgbh0fb.example"])
    url = f"{rng.choice(['http', 'https'])}://{host}{rng.choice(['', ':8080'])}{path}"
    if pairs or rng.random() < 0.2:
        url += "?" + "&".join(pairs)
    components = [
        name
        for name in ["@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query"]
        if rng.random() < 0.5
    ]
    components = [f'"{name}"' for name in components]
    for name, count in names.items():
        # A name that is empty or repeated is not signed.
        if count == 1 and name and rng.random() < 0.7:
            encoded = quote(name, safe="*").replace("~", "%7E")
            components.append(f'"@query-param";name="{encoded}"')
    headers, others = fields(rng)
    return Request(rng.choice(METHODS), url, headers), components + others


def make(rng, private, public):
    message, components = request(rng)
    case = {"method": message.method, "url": message.url, "requestFields": dict(message.headers)}
    if rng.random() < 0.4:
        headers, others = fields(rng)
        components = [component + ";req" for component in components] + others + ['"@status"']
        case["status"] = rng.randrange(200, 600)
        case["responseFields"] = dict(headers)
        message = Response(case["status"], headers, message)
    rng.shuffle(components)
    algorithm = rng.choice(list(ALGORITHMS))
    secret = rng.randbytes(rng.randrange(1, 90))
    keys = MappingKeyResolver(public_keys={}, private_keys={"k": private.get(algorithm, secret)})
    HTTPMessageSigner(signature_algorithm=ALGORITHMS[algorithm], key_resolver=keys).sign(
        message,
        key_id="k",
        created=datetime.datetime.fromtimestamp(rng.randrange(1, 4_000_000_000), datetime.timezone.utc),
        nonce=text(rng, 12, others="") if rng.random() < 0.5 else None,
        tag=text(rng, 12, others="") if rng.random() < 0.5 else None,
        label=rng.choice(["sig1", "*a", "a-b_.c"]),
        include_alg=rng.random() < 0.5,
        covered_component_ids=components,
        use_existing_digest="Content-Digest" in message.headers,
    )
    case["input"] = message.headers["Signature-Input"]
    case["signature"] = message.headers["Signature"]
    case["algorithm"] = algorithm
    case["key"] = public[algorithm].decode() if algorithm in public else base64.b64encode(secret).decode()
    return case


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", file=sys.stderr)
    rng = random.Random(options.seed)
    private, public = make_keys()
    for _ in range(options.count):
        print(json.dumps(make(rng, private, public)))


if __name__ == "__main__":
    main()
