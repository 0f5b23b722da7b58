"""The reference: DocC's pages of the symbols, from the products that are built."""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from string import Template

from .guides import ROOT, TASKS, Problems, title

PRODUCTS = [
    'Larkspur', 'LarkspurTransport', 'LarkspurTesting', 'LarkspurImages', 'LarkspurXML', 'LarkspurActivity',
    'LarkspurReachability', 'LarkspurCredentials', 'LarkspurCurlCommands',
]
# The colours and fonts of larkspur.css, by DocC's names.
THEME = {
    'theme': {
        'color': {
            'link': {'light': '#4f3fc4', 'dark': '#b0a5ff'},
            'header': 'var(--color-fill)',
        },
        'typography': {
            'html-font': 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, '
                         'sans-serif',
        },
    },
}


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


def build_products():
    """Builds what the symbols are read from."""
    run('swift', 'build')


class Reference:
    """Makes the reference of the products in a folder of its own."""

    def __init__(self, folder, base_path):
        self.folder, self.base_path = folder, base_path
        self.binaries = Path(run('swift', 'build', '--show-bin-path'))
        self.target = json.loads(run('swift', '-print-target-info'))['target']['unversionedTriple']
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    def convert(self):
        """Makes the archives of all products, and yields the name of each when it is ready."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            archives = [pool.submit(self._convert, product) for product in PRODUCTS]
            for archive in concurrent.futures.as_completed(archives):
                yield archive.result()

    def merge(self, site):
        """Makes one site from the archives."""
        shutil.rmtree(site, ignore_errors=True)
        run(
            tool('docc'), 'merge', *(self._archive(product) for product in PRODUCTS), '--output-path', site,
            '--synthesized-landing-page-name', 'Larkspur', '--synthesized-landing-page-topics-style', 'list',
        )
        shutil.rmtree(self.folder)
        (site / 'theme-settings.json').write_text(json.dumps(THEME))
        # Nothing links to the root of the reference but our own pages.
        if not (site / 'documentation/index.html').exists():
            sys.exit('The site has no documentation/index.html, to which its pages link.')

    def _archive(self, product):
        return self.folder / f'{product}.doccarchive'

    def _convert(self, product):
        """Makes the archive of a product; a warning is an error."""
        catalogue, graphs = self._catalogue(product), self._symbols(product)
        check(product, catalogue, graphs)
        options = ['--hosting-base-path', self.base_path] if self.base_path else []
        run(
            tool('docc'), 'convert', catalogue, '--additional-symbol-graph-dir', graphs,
            '--output-dir', self._archive(product), '--fallback-display-name', product,
            '--fallback-bundle-identifier', product, '--warnings-as-errors', '--transform-for-static-hosting',
            '--experimental-enable-custom-templates', '--default-code-listing-language', 'swift', *options,
        )
        return product

    def _catalogue(self, product):
        """Copies the pages of a product's sources, with links to the guides, and the bar on top of each page."""
        catalogue = self.folder / f'{product}.docc'
        shutil.copytree(ROOT / 'Sources' / product / f'{product}.docc', catalogue)
        for page in catalogue.rglob('*.md'):
            page.write_text(self._with_links(page.read_text(), page.name))
        bar = (Path(__file__).parent / 'static/docc.html').read_text()
        (catalogue / 'header.html').write_text(Template(bar).substitute(root=self._url('')))
        return catalogue

    def _symbols(self, product):
        """Writes the symbol graphs of a product that is built."""
        headers = [path.parent for path in self.binaries.glob('C*.build/module.modulemap')]
        graphs = self.folder / f'{product}.symbols'
        graphs.mkdir()
        run(
            tool('swift-symbolgraph-extract'), '-module-name', product, '-target', self.target, '-output-dir', graphs,
            *(argument for path in [self.binaries / 'Modules', *headers] for argument in ('-I', path)),
            # The compiler's own cache: a new one would take longer to fill than everything else.
            '-module-cache-path', self.binaries / 'ModuleCache', '-minimum-access-level', 'public',
            '-skip-inherited-docs', '-skip-synthesized-members', '-emit-extension-block-symbols',
        )
        for graph in graphs.iterdir():
            graph.write_text(self._with_links(graph.read_text(), graph.name))
        return graphs

    def _url(self, path):
        return '/'.join(['', *filter(None, self.base_path.split('/')), path])

    def _with_links(self, text, origin):
        """Returns a page or a symbol graph with a link in place of each file of a guide: `Docs/Linux.md`."""

        def link(match):
            name = match[1]
            if name not in TASKS:
                raise Problems(f'{origin}: there is no Docs/{name}.md')
            # Both sides are in JSON strings in a symbol graph, in which a title has no characters to escape.
            return f'[{title(name)}]({self._url(f"guides/{name}.html")})'

        return re.sub(r'`?\bDocs\\?/(\w+)\.md\b`?', link, text)


def check(product, catalogue, graphs):
    """Ends the script if the page of a product leaves out one of its types or functions."""
    graph = json.loads((graphs / f'{product}.symbols.json').read_text())
    known = {symbol['pathComponents'][0] for symbol in graph['symbols'] if len(symbol['pathComponents']) == 1}
    listed = set(re.findall(r'^- ``([^`]+)``', (catalogue / f'{product}.md').read_text(), re.MULTILINE))
    if known - listed:
        sys.exit(f'{product}.docc/{product}.md lists no {", ".join(sorted(known - listed))}.')
