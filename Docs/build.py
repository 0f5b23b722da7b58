#!/usr/bin/env python3
"""Builds the documentation of the products with the toolchain's DocC: the symbols of the sources, and the guides of
this folder. Every link has to resolve; a warning is an error.

    Docs/build.py                           builds a web site in .build/documentation
    Docs/build.py --base-path /larkspur     the same, for a server that has it below /larkspur
    Docs/build.py --serve 8000              builds it and serves it at http://127.0.0.1:8000/
"""

import argparse
import concurrent.futures
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GUIDES = ROOT / 'Docs'

# The products, and the guides in the catalogue of each, in groups. A guide that is in no group is an error.
CATALOGUES = {
    'Larkspur': {
        'First steps': [
            'GettingStarted', 'Cookbook', 'Programs', 'MigratingFromAFNetworking', 'MigratingFromAlamofire',
        ],
        'Calls': [
            'Requests', 'Responses', 'Async', 'Tasks', 'Timeouts',
        ],
        'Files and streams': ['Uploads', 'Downloads', 'StreamsAndEvents', 'WebSockets'],
        'Failures and limits': ['Interceptors'],
        'Credentials and security': ['Authentication', 'Cookies', 'Security', 'UntrustedURLs'],
        'Connections and caches': ['Connections', 'Caching'],
        'Debugging': ['CommandLine'],
        'About the project': [
            'BeforeYouAdopt', 'Contributing', 'Architecture', 'Reliability', 'Performance', 'Conformance', 'Changelog',
        ],
    },
    'LarkspurActivity': {},
    'LarkspurCurlCommands': {'Guides': ['CurlCommands']},
    'LarkspurImages': {'Guides': ['Images']},
    'LarkspurXML': {},
    'LarkspurReachability': {'Guides': ['Reachability']},
    'LarkspurTransport': {'Guides': ['Linux', 'LibcurlVersions', 'StaticPrograms']},
    'LarkspurTesting': {'Guides': ['Testing']},
}
HOME = {guide: product for product, groups in CATALOGUES.items() for names in groups.values() for guide in names}


def say(text):
    """Says on standard error what the script does: some of its steps take minutes."""
    print(f'{Path(__file__).name}: {text}', file=sys.stderr, flush=True)


def run(*command):
    """Runs a command; ends the script with its output if it fails."""
    result = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f'{" ".join(map(str, command))}\n{result.stdout}{result.stderr}')
    return result.stdout.strip()


def tool(name):
    """Returns the path of a tool of the toolchain, beside `swift` if it is there."""
    swift = shutil.which('swift')
    if not swift:
        sys.exit('swift is not in the search path.')
    beside = Path(swift).resolve().parent / name
    path = beside if beside.exists() else shutil.which(name)
    return path or run('xcrun', '--find', name)


def anchors(text):
    """Returns the headings' anchors: those of GitHub, as the guides use them, and for each that of DocC."""
    result = {}
    fenced = False
    for line in text.split('\n'):
        if line.startswith('```'):
            fenced = not fenced
        heading = re.match(r'##+ (.*)', line)
        if fenced or not heading:
            continue
        title = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading[1]).strip()
        github = re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-')
        docc = ''.join(c for c in title if c in '-–—' or c != '`' and not unicodedata.category(c).startswith('P'))
        result[github] = re.sub(r'[\s\-–—]+', '-', docc.strip())
    return result


@functools.cache
def guide(name):
    return (GUIDES / f'{name}.md').read_text()


def page_name(name):
    """Returns the name of a guide's page, which no symbol and no group may have, or DocC drops one of them."""
    return name + 'Guide'


def link(match, name):
    """Returns the link of a guide as one of its catalogue."""
    text, target = match[1], match[2]
    if re.match(r'[a-z]+:', target):
        return match[0]
    path, _, fragment = target.partition('#')
    other = Path(path).stem if path else name
    if path and not (path == f'{other}.md' and other in HOME):
        # Files of the repository are not part of the site.
        if not (GUIDES / path).exists():
            sys.exit(f'{name}.md: there is no {target}')
        return text
    if fragment:
        known = anchors(guide(other))
        if fragment not in known:
            sys.exit(f'{name}.md: {other}.md has no heading #{fragment}')
        fragment = '#' + known[fragment]
    if other == name:
        return f'[{text}](doc:{fragment})'
    if HOME[other] == HOME[name]:
        return f'[{text}](doc:{page_name(other)}{fragment})'
    # DocC resolves links within a catalogue; this one is a path of the site.
    return f'[{text}](/documentation/{HOME[other].lower()}/{page_name(other).lower()}{fragment})'


def article(name):
    """Returns a guide as an article of DocC."""
    lines = []
    fenced = False
    for line in guide(name).split('\n'):
        if line.startswith('```'):
            fenced = not fenced
            line = re.sub('```swift-(manifest|program)', '```swift', line)
        elif not fenced:
            line = re.sub(r'(?<!!)\[([^]]+)\]\(([^)\s]+)\)', lambda match: link(match, name), line)
        lines.append(line)
    return '\n'.join(lines)


def prepare(product, folder):
    """Makes the catalogue of a product: the page in its sources, with the guides."""
    source = ROOT / 'Sources' / product / f'{product}.docc'
    catalogue = folder / f'{product}.docc'
    shutil.copytree(source, catalogue)
    topics = []
    for group, names in CATALOGUES[product].items():
        topics += [f'### {group}', '']
        for name in names:
            (catalogue / f'{page_name(name)}.md').write_text(article(name))
            topics.append(f'- <doc:{page_name(name)}>')
        topics.append('')
    page = catalogue / f'{product}.md'
    overview, heading, symbols = page.read_text().partition('## Topics\n')
    page.write_text(overview + heading + '\n' + '\n'.join(topics).rstrip() + '\n' + symbols)
    return catalogue


def symbols(product, folder, binaries, target):
    """Writes the symbol graphs of a product that is built."""
    headers = [path.parent for path in binaries.glob('C*.build/module.modulemap')]
    graphs = folder / f'{product}.symbols'
    graphs.mkdir()
    run(
        tool('swift-symbolgraph-extract'), '-module-name', product, '-target', target, '-output-dir', graphs,
        *(argument for path in [binaries / 'Modules', *headers] for argument in ('-I', path)),
        '-module-cache-path', folder / f'{product}.modules', '-minimum-access-level', 'public', '-skip-inherited-docs',
        '-skip-synthesized-members', '-emit-extension-block-symbols',
    )
    return graphs


def check(product, catalogue, graphs):
    """Ends the script if the page of a product leaves out one of its types or functions."""
    graph = json.loads((graphs / f'{product}.symbols.json').read_text())
    known = {symbol['pathComponents'][0] for symbol in graph['symbols'] if len(symbol['pathComponents']) == 1}
    listed = set(re.findall(r'^- ``([^`]+)``', (catalogue / f'{product}.md').read_text(), re.MULTILINE))
    if known - listed:
        sys.exit(f'{product}.docc/{product}.md lists no {", ".join(sorted(known - listed))}.')


def convert(product, folder, binaries, target, base_path):
    """Makes the archive of a product; a warning is an error."""
    catalogue, graphs = prepare(product, folder), symbols(product, folder, binaries, target)
    check(product, catalogue, graphs)
    archive = folder / f'{product}.doccarchive'
    options = ['--hosting-base-path', base_path] if base_path else []
    run(
        tool('docc'), 'convert', catalogue, '--additional-symbol-graph-dir', graphs, '--output-dir', archive,
        '--fallback-display-name', product, '--fallback-bundle-identifier', product, '--warnings-as-errors',
        '--transform-for-static-hosting', '--default-code-listing-language', 'swift', *options,
    )
    return archive


def redirect_root(site):
    """Has the root of the site lead to its first page, which DocC puts below it."""
    start = 'documentation/'
    if not (site / start / 'index.html').exists():
        sys.exit(f'The site has no {start}index.html, to which its root would lead.')
    # A relative link, which holds below a base path too.
    (site / 'index.html').write_text(
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Larkspur</title>\n'
        f'<meta http-equiv="refresh" content="0; url={start}">\n'
        f'<p><a href="{start}">The documentation of Larkspur</a>\n'
    )


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site at its base path, to which the root of the server leads."""
    base_path = '/'

    def do_GET(self):
        path = self.path.partition('?')[0]
        if path.startswith(self.base_path):
            super().do_GET()
        elif path == '/' or path + '/' == self.base_path:
            self.send_response(302)
            self.send_header('Location', self.base_path)
            self.end_headers()
        else:
            self.send_error(404)

    def translate_path(self, path):
        return super().translate_path('/' + path.removeprefix(self.base_path))


def main():
    parser = argparse.ArgumentParser(description='Builds the documentation of the products.')
    parser.add_argument('--output', type=Path, default=ROOT / '.build/documentation', help='the folder of the site')
    parser.add_argument('--base-path', default='', help='the path of the site at its server')
    parser.add_argument('--serve', type=int, metavar='PORT', help='serve the site at this port of 127.0.0.1')
    arguments = parser.parse_args()

    unlisted = {path.stem for path in GUIDES.glob('*.md')} - set(HOME)
    if unlisted:
        sys.exit(f'Docs/build.py lists no catalogue for {", ".join(sorted(unlisted))}.')

    site = arguments.output.absolute()
    if site.exists() and not (site / 'metadata.json').exists():
        sys.exit(f'{site} exists and is no documentation; it stays as it is.')

    say('builds the products, for minutes if they were not built before')
    run('swift', 'build')
    binaries = Path(run('swift', 'build', '--show-bin-path'))
    target = json.loads(run('swift', '-print-target-info'))['target']['unversionedTriple']
    folder = site.with_name(site.name + '.parts')
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make = functools.partial(
        convert, folder=folder, binaries=binaries, target=target, base_path=arguments.base_path
    )
    say(f'reads the symbols and guides of {len(CATALOGUES)} products')
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        archives = list(pool.map(make, CATALOGUES))
    shutil.rmtree(site, ignore_errors=True)
    say('merges them into one site')
    run(
        tool('docc'), 'merge', *archives, '--synthesized-landing-page-name', 'Larkspur',
        '--synthesized-landing-page-topics-style', 'list', '--output-path', site,
    )
    shutil.rmtree(folder)
    redirect_root(site)
    print(f'{site}: {", ".join(CATALOGUES)}')

    if arguments.serve:
        Handler.base_path = f'/{arguments.base_path.strip("/")}/'.replace('//', '/')
        handler = functools.partial(Handler, directory=site)
        print(f'http://127.0.0.1:{arguments.serve}{Handler.base_path}', flush=True)
        http.server.ThreadingHTTPServer(('127.0.0.1', arguments.serve), handler).serve_forever()


if __name__ == '__main__':
    main()
