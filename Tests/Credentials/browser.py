#!/usr/bin/env python3
"""Plays the browser of BrowserLogin: opens the page, follows its redirects, and notes the responses of the program.

    BROWSER_NOTES=FILE [LOGIN=fault of authlib_server.py] browser.py URL

Before the login, it opens a connection on which it sends nothing, as browsers do, and asks the program's port for an
icon. After a redirect with a wrong state, it opens the right one.
"""

import os
import socket
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import parse_qs, urlencode, urlsplit

notes = open(os.environ['BROWSER_NOTES'], 'w')


def status(url):
    try:
        with urllib.request.urlopen(url, timeout=20) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(('127.0.0.1', port)) == 0


def main(page):
    query = parse_qs(urlsplit(page).query)
    redirect = urlsplit(query['redirect_uri'][0])
    with socket.create_connection(('127.0.0.1', redirect.port)):
        print('icon', status(f'http://{redirect.netloc}/favicon.ico'), file=notes)
        right = urlencode({'state': query['state'][0], 'code': 'x'})
        print('path', status(f'http://{redirect.netloc}/other?{right}'), file=notes)
        fault = os.environ.get('LOGIN')
        print('login', status(page + (f'&login={fault}' if fault else '')), file=notes)
        if fault == 'state':
            parts = urlsplit(page)
            print('then', status(f'{parts.scheme}://{parts.netloc}/then'), file=notes)
    # The listener is closed when the program goes on.
    end = time.monotonic() + 10
    while is_open(redirect.port) and time.monotonic() < end:
        time.sleep(0.05)
    print('closed', not is_open(redirect.port), file=notes)


main(sys.argv[1])
notes.close()
os.rename(os.environ['BROWSER_NOTES'], os.environ['BROWSER_NOTES'] + '.done')
