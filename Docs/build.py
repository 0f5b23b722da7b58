#!/usr/bin/env python3
"""Builds the web site of the documentation: a first page, the guides of this folder, a search, and the reference of the
products, which the toolchain's DocC makes from their sources. Every link has to resolve; a warning is an error.

    Docs/build.py                           builds it in .build/documentation
    Docs/build.py --base-path /larkspur     the same, for a server that has it below /larkspur
    Docs/build.py --serve 8000              builds it and serves it at http://127.0.0.1:8000/
    Docs/build.py --guides-only             writes all but the reference, which stays as it is: in seconds
"""

import argparse
import contextlib
import functools
import http.server
import sys
import time
from pathlib import Path

from Site import pages
from Site.guides import ROOT, Problems, check_groups
from Site.reference import PRODUCTS, Reference, build_products

# One of these files shows that a folder is a site of this script, which may be written over.
SIGNS = ['metadata.json', 'assets/larkspur.js']


class Progress:
    """Says on standard error what the script does, as some of its steps take long."""

    def __init__(self, steps):
        self.steps, self.number, self.start = steps, 0, time.monotonic()

    def step(self, text):
        self.number += 1
        self.say(text)

    def say(self, text):
        print(
            f'build.py: {time.monotonic() - self.start:5.1f} s, step {self.number} of {self.steps}: {text}',
            file=sys.stderr, flush=True,
        )


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site at its base path, to which the root of the server leads."""
    base_path = '/'

    def do_GET(self):
        path = self.path.partition('?')[0]
        if path.startswith(self.base_path):
            # A browser that is gone ends only its own request.
            with contextlib.suppress(ConnectionError):
                super().do_GET()
        elif path == '/' or path + '/' == self.base_path:
            self.send_response(302)
            self.send_header('Location', self.base_path)
            self.end_headers()
        else:
            self.send_error(404)

    def log_message(self, format, *arguments):
        pass  # Requests are of no interest.

    def translate_path(self, path):
        return super().translate_path('/' + path.removeprefix(self.base_path))


def build(site, base_path, guides_only):
    progress = Progress(steps=1 if guides_only else 4)
    if not guides_only:
        check_groups()
        progress.step('builds the products, for minutes if they were not built before')
        build_products()
        progress.step(f'makes the reference of {len(PRODUCTS)} products')
        reference = Reference(site.with_name(site.name + '.parts'), base_path)
        for number, product in enumerate(reference.convert(), 1):
            progress.say(f'{product}, {number} of {len(PRODUCTS)}')
        progress.step('merges them into one site')
        reference.merge(site)
    progress.step('writes the guides, the first page and the search')
    guides, symbols = pages.write(site, PRODUCTS)
    progress.say(f'{guides} guides; {symbols} symbols')


def main():
    parser = argparse.ArgumentParser(description='Builds the web site of the documentation.')
    parser.add_argument('--output', type=Path, default=ROOT / '.build/documentation', help='the folder of the site')
    parser.add_argument('--base-path', default='', help='the path of the site at its server')
    parser.add_argument('--serve', type=int, metavar='PORT', help='serve the site at this port of 127.0.0.1')
    parser.add_argument('--guides-only', action='store_true', help='leave the reference as it is')
    arguments = parser.parse_args()

    site = arguments.output.absolute()
    if site.exists() and not any((site / sign).exists() for sign in SIGNS):
        sys.exit(f'{site} exists and is no documentation; it stays as it is.')
    try:
        build(site, arguments.base_path, arguments.guides_only)
    except Problems as problems:
        sys.exit(str(problems))
    print(site)

    if arguments.serve:
        Handler.base_path = f'/{arguments.base_path.strip("/")}/'.replace('//', '/')
        handler = functools.partial(Handler, directory=site)
        print(f'http://127.0.0.1:{arguments.serve}{Handler.base_path}', flush=True)
        http.server.ThreadingHTTPServer(('127.0.0.1', arguments.serve), handler).serve_forever()


if __name__ == '__main__':
    main()
