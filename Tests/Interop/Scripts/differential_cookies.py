#!/usr/bin/env python3
"""Makes responses that set cookies, and requests behind them, and prints as JSON the cookies that others send.

    differential_cookies.py seed count

Each case has responses (a URL and Set-Cookie values) and requests, with the pairs that aiohttp's jar sends, and those that Python's http.cookiejar
sends. Public suffixes are not among the hosts, as neither knows a list of them.
"""
import asyncio
import email.message
import http.cookiejar
import re
import urllib.request

import aiohttp
from differential import arguments, mutated, show
from yarl import URL

rng, count = arguments()
HOSTS = ["example.com", "www.example.com", "a.www.example.com", "badexample.com", "example.org", "127.0.0.1", "1.127.0.0.1.example.com"]
DOMAINS = ["example.com", ".example.com", "www.example.com", "EXAMPLE.com", "badexample.com", "ample.com", "127.0.0.1", "0.0.1", ".www.example.com", "a.www.example.com", ""]
PATHS = ["/", "/a", "/a/", "/a/b", "/a/b/", "/ab", "/a/bc", "a", "", "/A", "/a%2Fb"]
NAMES = ["n", "m", "N", "o-p", "x.y", "__Host-h", "__Secure-s"]
VALUES = ["1", "2", "", "a=b", "\"q\"", "%20", "a&b", "x/y:z", "1", "2", "3"]


def set_cookie():
    text = rng.choice(NAMES) + rng.choice(["=", "=", "=", " = "]) + rng.choice(VALUES)
    if rng.randrange(2):
        text += "; " + rng.choice(["Domain", "domain"]) + "=" + rng.choice(DOMAINS)
    if rng.randrange(2):
        text += "; " + rng.choice(["Path", "path"]) + "=" + rng.choice(PATHS)
    if rng.randrange(4) == 0:
        text += "; Secure"
    if rng.randrange(5) == 0:
        text += rng.choice(["; Max-Age=0", "; Max-Age=1000", "; Max-Age=-1", "; Max-Age=x", "; Expires=Sun, 06 Nov 1994 08:49:37 GMT", "; Expires=Sun, 06 Nov 2094 08:49:37 GMT", "; Expires=never"])
    if rng.randrange(6) == 0:
        text += rng.choice(["; HttpOnly", ";", "; ;", "; SameSite=Lax", "; x=y", ";Version=1"])
    return text


def url():
    return rng.choice(["http", "https"]) + "://" + rng.choice(HOSTS) + rng.choice(PATHS[:7] + ["/A", "/a/b/c", "/abc"])


def is_refused(url, field):
    """Whether the rules of RFC 6265bis refuse a cookie (section 5.7), which both do not know: it is not given to them."""
    name, *attributes = (part.strip() for part in field.split(";"))
    name = name.split("=")[0].strip().lower()
    names = {attribute.split("=")[0].strip().lower() for attribute in attributes}
    is_secure = url.startswith("https:")
    if "secure" in names and not is_secure:
        return True
    if name.startswith("__secure-"):
        return "secure" not in names
    if name.startswith("__host-"):
        values = dict(attribute.lower().split("=", 1) for attribute in attributes if "=" in attribute)
        return "secure" not in names or bool(values.get("domain")) or values.get("path") != "/"
    return False


def given(response):
    return [field for field in response["fields"] if not is_refused(response["url"], field)]


def as_aiohttp_reads(field):
    """It compares the case of domains (RFC 6265, section 5.1.2), and takes unknown attributes for cookies (section 5.2)."""
    return re.sub("(?i)domain=[^;]*", lambda match: match[0].lower(), field).replace("; x=y", "")


async def by_aiohttp(responses, requests):
    jar = aiohttp.CookieJar(unsafe=True, quote_cookie=False)
    for response in responses:
        jar.update_cookies_from_headers([as_aiohttp_reads(field) for field in given(response)], URL(response["url"], encoded=True))
    return [sorted([name, morsel.value] for name, morsel in jar.filter_cookies(URL(request, encoded=True)).items()) for request in requests]


class Response:
    """What http.cookiejar wants of a response."""

    def __init__(self, fields):
        self.fields = email.message.Message()
        for field in fields:
            self.fields["Set-Cookie"] = field

    def info(self):
        return self.fields


def by_cookiejar(responses, requests):
    jar = http.cookiejar.CookieJar(http.cookiejar.DefaultCookiePolicy(hide_cookie2=True))
    for response in responses:
        jar.extract_cookies(Response(given(response)), urllib.request.Request(response["url"]))
    result = []
    for request in requests:
        asked = urllib.request.Request(request)
        jar.add_cookie_header(asked)
        field = asked.get_header("Cookie") or ""
        result.append(sorted(pair.split("=", 1) for pair in field.split("; ") if "=" in pair))
    return result


async def case():
    responses = [{"url": url(), "fields": [set_cookie() for _ in range(rng.randint(1, 2))]} for _ in range(rng.randint(1, 2))]
    requests = [url() for _ in range(4)]
    return {"responses": responses, "requests": requests, "aiohttp": await by_aiohttp(responses, requests), "cookiejar": by_cookiejar(responses, requests)}


async def main():
    show([await case() for _ in range(count)])


asyncio.run(main())
