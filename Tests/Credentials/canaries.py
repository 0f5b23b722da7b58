"""The search for secrets in the files that the programs have left.

A secret is searched as it is, percent-encoded, in hexadecimal digits, and in base64 at each of the three places of a
group, in both alphabets.
"""

import base64
import itertools
from urllib.parse import quote, quote_plus

SHORTEST = 12


def forms(secret):
    octets = secret.encode()
    escaped = (quote(secret, safe=''), quote(secret), quote_plus(secret))
    found = {octets, octets.hex().encode(), *(text.encode() for text in escaped)}
    for shift, text in itertools.product(range(3), (octets, escaped[0].encode())):
        # The characters that depend on what stands before and behind are left out.
        text = base64.b64encode(b'\0' * shift + text)
        text = text[4 if shift else 0:len(text) - 4]
        found |= {text, text.replace(b'+', b'-').replace(b'/', b'_')}
    return {form for form in found if len(form) >= SHORTEST}


def found(secrets, contents):
    """Returns the places of secrets, without the secrets: the name, and the number of the secret in the list.
    `contents` are pairs of a name and bytes."""
    patterns = [(number, forms(secret)) for number, secret in enumerate(secrets)]
    return [
        (name, number) for name, content in contents for number, texts in patterns if any(text in content for text in texts)
    ]


def self_test():
    secret = 'a secret: +/ä and more of it'
    for text in (
        secret, quote(secret), quote(secret, safe=''), secret.encode().hex(), 'x=' + quote_plus(secret),
        *(base64.b64encode((' ' * shift + secret + '!').encode()).decode() for shift in range(3)),
    ):
        assert found([secret], [('file', b'...' + text.encode() + b'...')]) == [('file', 0)], text
    assert not found([secret], [('file', b'nothing')])
