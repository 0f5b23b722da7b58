#!/usr/bin/env python3
"""Makes references as in a Location, and prints as JSON what they are against a base.

    differential_references.py seed count

"rfc" is what urllib makes of it, by RFC 3986, and "whatwg" what ada makes of it, by the URL standard; null if it refuses it. In
both, characters that a URL cannot have are escaped, which urllib never does, and ada does not for all.
"""
import re
import urllib.parse

import ada_url
from differential import arguments, mutated, show

rng, count = arguments()
# A semicolon has no meaning of its own in RFC 3986 (section 3.3), where urllib keeps what follows it out of the way of dot segments.
urllib.parse.uses_params.clear()
SEGMENTS = ["a", "b", "c.d", ".", "..", "...", "", "%41", "%2e", "%2E%2e", "x;y", "a:b", "é", "a b", "~", "%zz", "@", "-._", "(1)", "日本"]
QUERIES = ["", "a=b", "a=%20&b", "?", "/../", "a b", "é", "x=[1]", "%", "a'b"]
HOSTS = ["b.test", "B.Test", "c.test:8080", "c.test:80", "1.2.3.4", "[::1]:81", "user@b.test", "user:pw@b.test:90", "b.test:"]


def path():
    return "/".join(rng.choice(SEGMENTS) for _ in range(rng.randint(0, 5)))


def reference():
    kind = rng.randrange(8)
    if kind == 0:
        text = rng.choice(["http", "https", "HTTP"]) + "://" + rng.choice(HOSTS) + ("/" + path() if rng.randrange(3) else "")
    elif kind == 1:
        text = "//" + rng.choice(HOSTS) + ("/" + path() if rng.randrange(3) else "")
    elif kind in (2, 3):
        text = "/" + path()
    elif kind == 4:
        text = ""
    else:
        text = path()
    if rng.randrange(3) == 0:
        text += "?" + rng.choice(QUERIES)
    if rng.randrange(4) == 0:
        text += "#" + rng.choice(QUERIES)
    if rng.randrange(5) == 0:
        text = mutated(rng, text, "/.:?#@%[]a1é \\;=&~+,'\"<>{}|^`")
    return text


def base():
    text = rng.choice(["http://a.test", "https://a.test:444", "http://user@a.test"]) + "/" + "/".join(rng.choice(["a", "b", "c", "d.e", ""]) for _ in range(rng.randint(0, 4)))
    return text + rng.choice(["", "", "?q", "?q=/../x"])


def encoded(url):
    """A URL with those characters escaped that RFC 3986 does not allow, behind its authority."""
    start = re.match("(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?(?://[^/?#]*)?", url).end()
    path, mark, fragment = url[start:].partition("#")
    path, question, query = path.partition("?")
    parts = (re.sub("%(?![0-9a-fA-F]{2})", "%25", part) for part in (path, query, fragment))
    path, query, fragment = (urllib.parse.quote(part, safe="!$&'()*+,;=:@/?%-._~") for part in parts)
    return url[:start] + path + question + query + mark + fragment


def by_rfc(base, text):
    try:
        return encoded(urllib.parse.urljoin(base, text))
    except ValueError:
        return None


def by_whatwg(base, text):
    try:
        return encoded(ada_url.join_url(base, text))
    except ValueError:
        return None


def case():
    start, text = base(), reference()
    return {"base": start, "text": text, "rfc": by_rfc(start, text), "whatwg": by_whatwg(start, text)}


show([case() for _ in range(count)])
