"""Random requests with the signatures that botocore's signers give them, one JSON object on each line.

    python3 -m venv venv && venv/bin/pip install botocore
    venv/bin/python Tests/Credentials/sigv4_beside_botocore.py --count 5000 > signatures.jsonl
    LARKSPUR_SIGNATURES=$PWD/signatures.jsonl swift test --filter AWSSignatureBesideBotocore

The seed is printed on standard error; --seed repeats a run. With --check, the rules of AWSCanonicalRequest.swift, written
here once more, are compared with botocore too, so that the rules can be tested without Swift.
"""

import argparse
import base64
import datetime
import hashlib
import hmac
import json
import random
import re
import sys
from urllib.parse import quote, unquote_to_bytes, urlsplit

import botocore
import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

LETTERS = "abcXYZ019-_.~"
MARKS = " !\"#$%&'()*+,;=:@?[]^`{|}<>\\"
OTHERS = "éßøλЖ中日€\u0301\u212a😀\u00a0"
METHODS = ["GET", "GET", "PUT", "POST", "DELETE", "HEAD", "PATCH"]
SERVICES = ["s3", "s3", "execute-api", "es", "sqs", "dynamodb"]
REGIONS = ["us-east-1", "eu-central-1", "cn-north-1"]


def text(rng, longest, marks=MARKS, others=OTHERS):
    alphabet = LETTERS * 3 + marks + others
    return "".join(rng.choice(alphabet) for _ in range(rng.randrange(longest + 1)))


def path(rng, is_s3):
    segments = []
    for _ in range(rng.randrange(6)):
        kind = rng.random()
        if kind < 0.15:
            segments.append(rng.choice([".", "..", "...", ".a", "a.."]))
        elif kind < 0.25:
            segments.append("")
        elif kind < 0.32:
            # An escaped slash, and an escape of an escape.
            segments.append(rng.choice(["a%2Fb", "%2525", "100%25"]))
        else:
            segments.append(quote(text(rng, 8), safe="~"))
    # For S3, botocore signs an empty path, although a request is sent with the path "/".
    return "/" + "/".join(segments) if segments or is_s3 or rng.random() < 0.8 else ""


def query(rng, is_presigned):
    names = [quote(text(rng, 4) or "n", safe="-_.~") for _ in range(rng.randrange(5))]
    if is_presigned:
        # botocore keeps one of several parameters with the same name in a URL to sign.
        names = list(dict.fromkeys(names))
        return "&".join(f"{name}={quote(text(rng, 6), safe='-_.~')}" for name in names)
    names += [rng.choice(names) for _ in range(rng.randrange(3)) if names]
    rng.shuffle(names)
    items = []
    for name in names:
        kind = rng.random()
        value = "" if kind < 0.2 else "=" if kind < 0.35 else "=" + quote(text(rng, 6), safe="-_.~")
        items.append(name + value)
    return "&".join(items)


def fields(rng, is_presigned):
    result = {}
    if rng.random() < 0.5:
        result["Content-Type"] = rng.choice(["text/plain", "application/json;  charset=utf-8", " a/b\t"])
    for _ in range(rng.randrange(4)):
        name = rng.choice(["X-Amz-Meta-", "x-amz-meta-", "X-AMZ-"]) + rng.choice("abcXY") + rng.choice("-_19z")
        value = "".join(rng.choice(["a", "B", "é", "  ", " ", "\t ", ",", "\"q  q\"", "=", "\u212a"]) for _ in range(8))
        if not any(name.lower() == other.lower() for other in result):
            result[name] = value
    if not is_presigned and rng.random() < 0.3:
        result["Range"] = "bytes=0-9"
    if not is_presigned and rng.random() < 0.3:
        result["X-Custom"] = "  a   b  "
    return result


def make(rng):
    is_presigned = rng.random() < 0.3
    service = rng.choice(SERVICES)
    scheme = rng.choice(["https", "http"])
    host = rng.choice(["bucket.s3.amazonaws.com", "EXAMPLE.amazonaws.com", "127.0.0.1", "[::1]"])
    port = rng.choice(["", "", ":443", ":80", ":8080"])
    parameters = query(rng, is_presigned)
    url = f"{scheme}://{host}{port}{path(rng, service == 's3')}" + (f"?{parameters}" if parameters else "")
    body = b"" if is_presigned else rng.choice([b"", rng.randbytes(rng.randrange(2000))])
    return {
        "kind": "query" if is_presigned else "field",
        "method": rng.choice(METHODS),
        "url": url,
        "fields": fields(rng, is_presigned),
        "body": base64.b64encode(body).decode(),
        "service": service,
        "region": rng.choice(REGIONS),
        "accessKey": "AKID" + str(rng.randrange(1000)),
        "secret": text(rng, 40, marks="+/=", others="") or "s",
        "token": text(rng, 60, marks="+/=&", others="") or None if rng.random() < 0.4 else None,
        "time": rng.randrange(1_000_000_000, 4_000_000_000),
        "expires": rng.randrange(1, 604_801),
    }


def sign(case):
    """Adds the expected value of the field Authorization, or the expected URL."""
    now = datetime.datetime.fromtimestamp(case["time"], datetime.timezone.utc)
    botocore.auth.get_current_datetime = lambda remove_tzinfo=True: now
    credentials = Credentials(case["accessKey"], case["secret"], case["token"])
    arguments = [credentials, case["service"], case["region"]]
    body = base64.b64decode(case["body"])
    request = AWSRequest(case["method"], case["url"], dict(case["fields"]), data=body)
    is_s3 = case["service"] == "s3"
    if case["kind"] == "query":
        kind = botocore.auth.S3SigV4QueryAuth if is_s3 else botocore.auth.SigV4QueryAuth
        signer = kind(*arguments, expires=case["expires"])
    else:
        signer = (botocore.auth.S3SigV4Auth if is_s3 else botocore.auth.SigV4Auth)(*arguments)
    signer.add_auth(request)
    if case["kind"] == "query":
        case["expected"] = request.url
    else:
        case["expected"] = request.headers["Authorization"]


# The rules of AWSCanonicalRequest.swift and AWSSignature.swift.


def encoded(data):
    return quote(data, safe="-_.~")


def canonical_path(path, is_s3):
    if is_s3:
        result = "/".join(encoded(unquote_to_bytes(part)) for part in path.split("/"))
        return result if result.startswith("/") else "/" + result
    segments = []
    for segment in path.split("/"):
        if segment == "..":
            segments[-1:] = []
        elif segment not in ("", "."):
            segments.append(segment)
    normalized = "/" + "/".join(segments) + ("/" if path.endswith("/") and segments else "")
    return quote(normalized, safe="/-_.~")


def canonical_query(query):
    pairs = []
    for item in query.split("&"):
        if item:
            name, _, value = item.partition("=")
            pairs.append([encoded(unquote_to_bytes(part.replace("+", " "))) for part in (name, value)])
    return "&".join("=".join(pair) for pair in sorted(pairs))


def own_signature(case, url, headers, payload_hash):
    parts = urlsplit(url)
    lines = sorted((name.lower(), " ".join(re.split("[ \t]+", value.strip(" \t")))) for name, value in headers.items())
    names = ";".join(name for name, _ in lines)
    canonical = "\n".join(
        [
            case["method"],
            canonical_path(parts.path, case["service"] == "s3"),
            canonical_query(parts.query),
            "".join(f"{name}:{value}\n" for name, value in lines),
            names,
            payload_hash,
        ]
    )
    moment = datetime.datetime.fromtimestamp(case["time"], datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope = [moment[:8], case["region"], case["service"], "aws4_request"]
    to_sign = ["AWS4-HMAC-SHA256", moment, "/".join(scope), hashlib.sha256(canonical.encode()).hexdigest()]
    key = ("AWS4" + case["secret"]).encode()
    for part in scope:
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, "\n".join(to_sign).encode(), "sha256").hex()
    return moment, f"{case['accessKey']}/{'/'.join(scope)}", names, signature


def own(case):
    parts = urlsplit(case["url"])
    port = parts.port if parts.port != {"http": 80, "https": 443}[parts.scheme] else None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    headers = {**case["fields"], "Host": host + (f":{port}" if port else "")}
    moment = datetime.datetime.fromtimestamp(case["time"], datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    is_s3 = case["service"] == "s3"
    if case["kind"] == "field":
        payload_hash = hashlib.sha256(base64.b64decode(case["body"])).hexdigest()
        headers["X-Amz-Date"] = moment
        if is_s3:
            headers["X-Amz-Content-SHA256"] = payload_hash
        if case["token"]:
            headers["X-Amz-Security-Token"] = case["token"]
        _, credential, names, signature = own_signature(case, case["url"], headers, payload_hash)
        return f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={names}, Signature={signature}"
    payload_hash = "UNSIGNED-PAYLOAD" if is_s3 else hashlib.sha256(b"").hexdigest()
    names = ";".join(sorted(name.lower() for name in headers))
    scope = f"{moment[:8]}/{case['region']}/{case['service']}/aws4_request"
    parameters = [
        ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
        ("X-Amz-Credential", f"{case['accessKey']}/{scope}"),
        ("X-Amz-Date", moment),
        ("X-Amz-Expires", str(case["expires"])),
        ("X-Amz-SignedHeaders", names),
    ]
    if case["token"]:
        parameters.append(("X-Amz-Security-Token", case["token"]))
    url = case["url"] + ("&" if parts.query else "?") + "&".join(f"{n}={encoded(v)}" for n, v in parameters)
    return f"{url}&X-Amz-Signature={own_signature(case, url, headers, payload_hash)[3]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    print(f"seed {options.seed}, botocore {botocore.__version__}", file=sys.stderr)
    rng = random.Random(options.seed)
    failures = 0
    for _ in range(options.count):
        case = make(rng)
        sign(case)
        if options.check and own(case) != case["expected"]:
            failures += 1
            print(f"{case}\n  here:     {own(case)}", file=sys.stderr)
        if not options.check:
            print(json.dumps(case))
    if options.check:
        print(f"{options.count} requests, {failures} with another signature", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
