#!/usr/bin/env python3
"""The checks of run.sh."""

import argparse
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from browser import Browser

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / '.build/site'
BASE = '/larkspur'
SCREENS = [(width, scheme) for width in (1280, 420) for scheme in ('light', 'dark')]
PROBLEMS = (Path(__file__).parent / 'page.js').read_text()
IS_REFERENCE = 'document.querySelector("main h1, main .title") !== null'


class Checks:
    def __init__(self, browser, url, pictures):
        self.browser, self.url, self.pictures, self.failures = browser, url, pictures, []

    def expect(self, condition, text):
        if not condition:
            self.failures.append(text)
            print(f'not so: {text}', flush=True)

    def errors(self, subject):
        for error in self.browser.errors:
            self.expect(False, f'{subject}: no error in the console ({error})')
        self.browser.errors.clear()

    # The pages

    def looks(self):
        """Each kind of page on each screen, with a picture."""
        guides = sorted(path.stem for path in (SITE / 'guides').glob('*.html'))
        for width, scheme in SCREENS:
            self.browser.screen(width, scheme=scheme)
            self.page('', f'first-{width}-{scheme}', whole=True)
            self.page('guides/GettingStarted.html', f'guide-{width}-{scheme}')
            self.reference('documentation/larkspur/sessionmanager/', 'SessionManager', f'symbol-{width}-{scheme}')
        for width in (1280, 420):
            self.browser.screen(width, scheme='dark')
            for guide in guides:
                self.page(f'guides/{guide}.html')
                current = self.links_of('[aria-current=page]')
                self.expect(current == [f'{self.url}guides/{guide}.html'], f'the sidebar marks {guide}')
        print(f'{len(guides)} guides', flush=True)

    def page(self, path, picture=None, whole=False):
        self.browser.open(self.url + path)
        for problem in self.browser.value(PROBLEMS):
            self.expect(False, f'/{path} is right ({problem})')
        self.errors(f'/{path}')
        if picture:
            self.browser.screenshot(self.pictures / f'{picture}.png', whole)

    def reference(self, path, name, picture=None):
        self.browser.open(self.url + path, IS_REFERENCE)
        self.expect(name in self.browser.value('document.querySelector("main").innerText'), f'/{path} is about {name}')
        width = self.browser.value('document.documentElement.scrollWidth - innerWidth')
        self.expect(width <= 0, f'/{path} is as wide as the screen')
        bar = self.browser.value(
            '[...document.querySelector("custom-header").shadowRoot.querySelectorAll("a")].map(link => link.href)'
        )
        self.expect(bar and all(self.leads(link) for link in bar), f'/{path} has a bar whose links lead somewhere')
        self.errors(f'/{path}')
        if picture:
            self.browser.screenshot(self.pictures / f'{picture}.png')

    # The links

    def links_of(self, selector):
        return self.browser.value(f'[...document.querySelectorAll("{selector}")].map(link => link.href)')

    def leads(self, link):
        """Whether a link leads to a page below the base path."""
        if not link.startswith(self.url):
            return False
        try:
            return urllib.request.urlopen(link.partition('#')[0]).status == 200
        except urllib.error.HTTPError:
            return False

    def links(self):
        """The links of some pages, as the browser resolves them."""
        self.browser.screen(1280)
        count = 0
        for path in ('', 'guides/GettingStarted.html', 'guides/Linux.html', 'documentation/larkspur/'):
            self.browser.open(self.url + path, IS_REFERENCE)
            links = self.links_of('main a, nav a, .bar a')
            links = {link.partition('#')[0] for link in links if urllib.parse.urlsplit(link).hostname == '127.0.0.1'}
            for link in sorted(links):
                self.expect(self.leads(link), f'/{path}: {link} leads somewhere')
            count += len(links)
            if path.startswith('documentation'):
                guides = [link for link in links if link.startswith(f'{self.url}guides/')]
                self.expect(guides, f'/{path} has links to guides')
        print(f'{count} links', flush=True)

    # The search

    def search(self, query):
        """Searches with the keyboard; returns the URLs of the results."""
        self.browser.press('/')
        self.browser.type(query)
        self.browser.wait('document.querySelector("#Results a, #Results p") !== null', query)
        return self.links_of('#Results a')

    def selected(self):
        rows = self.browser.value('[...document.querySelectorAll("#Results a")].map(row => row.ariaSelected)')
        return rows.index('true')

    def searches(self):
        # A phrase of a guide, wherever it is.
        self.browser.screen(1280)
        self.browser.open(f'{self.url}guides/Security.html')
        phrase = self.browser.value('[...document.querySelectorAll(".text p")].at(-1).innerText')
        phrase = ' '.join(re.split(r'\s+', phrase)[:6])
        for width, scheme in SCREENS:
            self.browser.screen(width, scheme=scheme)
            self.browser.open(f'{self.url}guides/GettingStarted.html')
            results = self.search(phrase)
            found = any('/guides/Security.html#' in result for result in results[:3])
            self.expect(found, f'a search for “{phrase}” finds Security.md')
            for problem in self.browser.value(PROBLEMS):
                self.expect(False, f'the list of results is right ({problem})')
            self.browser.screenshot(self.pictures / f'search-{width}-{scheme}.png')
            self.browser.press('Escape')
            self.expect(self.browser.value('document.getElementById("Results").hidden'), 'Escape hides the results')

        # A heading comes before text; a symbol is found; both open with the keyboard.
        self.browser.screen(1280)
        self.browser.open(self.url)
        results = self.search('adding the package')
        heading = f'{self.url}guides/GettingStarted.html#adding-the-package'
        self.expect(results[:1] == [heading], 'a heading is found first')
        self.browser.press('ArrowDown')
        self.expect(self.selected() == 1, 'the arrow selects the second result')
        self.browser.press('ArrowUp')
        self.browser.press('Enter')
        self.browser.wait('location.hash == "#adding-the-package" && document.readyState == "complete"', 'Enter')
        top = self.browser.value('document.getElementById("adding-the-package").getBoundingClientRect().top')
        self.expect(40 < top < 300, f'the heading is in view ({top})')
        results = self.search('SessionManager')
        self.expect(results[:1] == [f'{self.url}documentation/larkspur/sessionmanager/'], 'a symbol is found first')
        self.browser.press('Enter')
        self.browser.wait(f'location.pathname.includes("/documentation/") && {IS_REFERENCE}', 'the page of a symbol')
        self.browser.open(self.url)
        self.expect(not self.search('zzyzx'), 'a word that is nowhere has no results')
        self.expect('zzyzx' in self.browser.value('document.getElementById("Results").innerText'), 'the list says so')
        self.errors('the search')

        # The bar of the reference leads to it.
        self.browser.open(f'{self.url}index.html#Search', 'document.activeElement?.id == "Search"')

        # Without a server.
        self.browser.open((SITE / 'guides/Linux.html').as_uri())
        self.expect(self.search('SessionManager'), 'the search works in files')
        self.errors('files')
        print('the search', flush=True)

    # The keyboard and the menu

    def controls(self):
        self.browser.screen(420)
        self.browser.open(f'{self.url}guides/Requests.html')
        is_shown = 'document.getElementById("Sidebar").checkVisibility()'
        self.expect(not self.browser.value(is_shown), 'a narrow screen begins without the list of guides')
        self.browser.value('document.querySelector(".menu").click()')
        self.expect(self.browser.value(is_shown), 'the menu shows the list of guides')
        self.browser.screenshot(self.pictures / 'menu-420-light.png')
        self.browser.open(f'{self.url}guides/Requests.html')
        self.browser.press('Tab')
        self.expect(self.browser.value('document.activeElement.matches(".skip")'), 'the first stop is the skip link')
        left = self.browser.value('document.activeElement.getBoundingClientRect().left')
        self.expect(left >= 0, 'the skip link is shown when it has the focus')
        self.errors('the menu')


def main():
    parser = argparse.ArgumentParser(description='Looks at the web site of the documentation with Chromium.')
    parser.add_argument('--guides-only', action='store_true', help='keep the reference of the last run')
    parser.add_argument('--pictures', type=Path, default=ROOT / '.build/site-pictures', help='their folder')
    arguments = parser.parse_args()
    arguments.pictures.mkdir(parents=True, exist_ok=True)

    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    options = ['--guides-only'] if arguments.guides_only else []
    server = subprocess.Popen(
        [ROOT / 'Docs/build.py', '--output', SITE, '--base-path', BASE, '--serve', str(port), *options],
        stdout=subprocess.PIPE, text=True, stderr=sys.stderr,
    )
    try:
        url = f'http://127.0.0.1:{port}{BASE}/'
        # The server's address is what the script prints last.
        for line in server.stdout:
            if line.strip() == url:
                break
        else:
            sys.exit('The site cannot be built.')
        with Browser() as browser:
            checks = Checks(browser, url, arguments.pictures.absolute())
            checks.looks()
            checks.links()
            checks.searches()
            checks.controls()
    finally:
        server.terminate()
        server.wait()
    if checks.failures:
        sys.exit(f'{len(checks.failures)} problems; pictures are in {arguments.pictures}')
    print(f'All is right; pictures are in {arguments.pictures}')


if __name__ == '__main__':
    main()
