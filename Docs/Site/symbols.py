"""The public symbols, as DocC has written their pages."""

import json
import urllib.parse
from pathlib import Path

TYPES = {'class', 'struct', 'enum', 'protocol', 'typealias', 'func', 'macro', 'actor'}
KINDS = {'init': 'initializer', 'op': None, 'func': 'function', 'typealias': 'type alias'}


class Symbol:
    def __init__(self, name, kind, module, path, abstract):
        self.name, self.kind, self.module, self.path, self.abstract = name, kind, module, path, abstract


class Symbols:
    """Reads the pages of a site; without a reference there are no symbols."""

    def __init__(self, site):
        self.all = list(self._read(Path(site) / 'data/documentation'))
        self._paths = {}
        for symbol in self.all:
            # A name of two modules, or of two declarations, leads nowhere.
            self._paths[symbol.name] = None if symbol.name in self._paths else symbol.path

    def path(self, name):
        """Returns the path of a symbol's page that a guide names in code: `SessionManager`, `LarkspurError.code`."""
        return self._paths.get(name) if name[:1].isupper() or name.startswith('with') else None

    @staticmethod
    def _read(folder):
        pages = {}
        for file in sorted(folder.rglob('*.json')):
            page = json.loads(file.read_text())
            if page['metadata'].get('role') == 'symbol':
                pages[file.relative_to(folder).with_suffix('').as_posix()] = page
        seen = set()
        for path, page in pages.items():
            metadata = page['metadata']
            kind, name, parent = metadata['symbolKind'], metadata['title'], pages.get(path.rpartition('/')[0])
            # DocC names types and cases with the type around them, and other members without it.
            if kind not in TYPES and kind != 'case' and parent:
                name = f'{parent["metadata"]["title"]}.{name}'
            # Functions of one name and several types are one result.
            if kind in ('module', 'op', 'extension') or name in seen and kind not in TYPES:
                continue
            seen.add(name)
            yield Symbol(
                name, KINDS.get(kind, kind), metadata['modules'][0]['name'],
                f'documentation/{urllib.parse.quote(path, safe="/:()@!$&,;=+~")}/', abstract(page),
            )


def abstract(page):
    """Returns the first sentence of a symbol's comment, without markup."""
    parts = []
    for part in page.get('abstract', []):
        reference = page.get('references', {}).get(part.get('identifier', ''), {})
        parts.append(part.get('text') or part.get('code') or reference.get('title', ''))
    return ''.join(parts).partition('. ')[0].removesuffix('.')
