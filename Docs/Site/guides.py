"""The guides, in groups by task, and where their links lead."""

import functools
import re
from pathlib import Path

from .markdown import Markdown, MarkdownError

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / 'Docs'

# The groups of the sidebar and of the first page, and for each guide the reader's task. A guide that is in no group is
# an error, and so is a name in a group that has no guide.
GROUPS = {
    'First steps': {
        'GettingStarted': 'package, GET, POST, errors, progress',
        'Cookbook': 'the answer to a question, with code',
        'Programs': 'to copy, each a main.swift',
    },
    'Calls': {
        'Requests': 'parameters, bodies, header fields, settings',
        'Responses': 'serializers, validation, typed values, errors',
        'Async': 'awaited calls, chains, pages of a list',
        'Tasks': 'waiting, control, hooks, notifications, observers, session managers',
    },
    'Files and streams': {
        'Uploads': 'data, files, streams, forms, uploads that resume',
        'Downloads': 'files, and downloads that continue after a failure',
        'StreamsAndEvents': 'content as it arrives: lines, events, language models',
        'WebSockets': 'messages in both directions',
        'Images': 'checks, pixels, one download for many callers',
    },
    'Failures and limits': {
        'Interceptors': 'retries, access tokens, limits, shared attempts',
        'Timeouts': 'every limit of time',
        'Reachability': 'another attempt when the network is back; activity',
    },
    'Security': {
        'Security': 'pins, roots, client certificates; threats and protection',
        'Authentication': 'Basic, Digest, Bearer, OAuth 2 and others, for servers and proxies',
        'Cookies': 'shared, separate and stored cookies',
        'UntrustedURLs': 'webhooks, previews, imports',
    },
    'Connections and caches': {
        'Connections': 'proxies, Unix-domain sockets, chosen addresses',
        'Caching': 'stored responses on Linux',
    },
    'Linux': {
        'Linux': 'the engine, and its differences from Foundation’s URLSession',
        'LibcurlVersions': 'what the engine does with each libcurl',
        'StaticPrograms': 'programs that run where nothing is installed',
    },
    'Tools and tests': {
        'Testing': 'a server and a stub session for tests of your code',
        'CommandLine': 'requests from a shell',
        'CurlCommands': 'requests as commands for curl, and the reverse',
    },
    'Moving here': {
        'MigratingFromAFNetworking': 'every public symbol, and code side by side',
        'MigratingFromAlamofire': 'every public symbol, and code side by side',
    },
    'About the project': {
        'BeforeYouAdopt': 'libraries, processes, updates, distributions',
        'Reliability': 'what is promised, and how it is tested',
        'Performance': 'the costs of a call, beside other clients',
        'Conformance': 'the tests of AFNetworking and Alamofire',
        'Architecture': 'the way of a call through the sources',
        'Contributing': 'building, testing, and what a change needs',
        'Changelog': 'the versions',
    },
}
TASKS = {name: task for guides in GROUPS.values() for name, task in guides.items()}


class Problems(Exception):
    """What is wrong with the guides, one problem a line."""


def check_groups():
    """Reports the guides that are in no group, and those of the groups that do not exist."""
    present = {path.stem for path in FOLDER.glob('*.md')}
    problems = [f'Docs/Site/guides.py lists no group for {name}.md.' for name in sorted(present - set(TASKS))]
    problems += [f'Docs/Site/guides.py lists {name}.md, which does not exist.' for name in sorted(set(TASKS) - present)]
    if problems:
        raise Problems('\n'.join(problems))


@functools.cache
def source(name):
    return (FOLDER / f'{name}.md').read_text()


@functools.cache
def outline(name):
    """Returns a guide without links, for its title and its anchors."""
    return Markdown(source(name), link=lambda target: None)


def title(name):
    return outline(name).title


class Guide:
    """A guide as HTML, with links to the other guides and to the symbols' pages."""

    def __init__(self, name, symbols):
        self.name, self.symbols, self.problems = name, symbols, []
        self.page = Markdown(source(name), self._link, self._symbol)

    @property
    def title(self):
        return self.page.title

    @property
    def sections(self):
        return self.page.sections

    def _link(self, target):
        """Returns the URL of a link. Files of the repository are not part of the site; their text stays."""
        if re.match(r'[a-z]+:', target):
            return target
        path, _, fragment = target.partition('#')
        other = Path(path).stem if path else self.name
        if path and not (path == f'{other}.md' and other in TASKS):
            if not (FOLDER / path).exists():
                self.problems.append(f'{self.name}.md: there is no {target}')
            return None
        if fragment and fragment not in outline(other).anchors:
            self.problems.append(f'{self.name}.md: {other}.md has no heading #{fragment}')
        return (f'{other}.html' if path else '') + (f'#{fragment}' if fragment else '')

    def _symbol(self, name, in_first_column):
        # The first columns of these guides have the names of another framework.
        if in_first_column and self.name.startswith('MigratingFrom') or self.name == 'Conformance':
            return None
        path = self.symbols.path(name)
        return f'../{path}' if path else None


def guides(symbols):
    """Returns the guides in the order of the groups."""
    pages, problems = [], []
    for name in TASKS:
        try:
            pages.append(Guide(name, symbols))
            problems += pages[-1].problems
        except MarkdownError as error:
            problems.append(f'{name}.md: {error}')
    if problems:
        raise Problems('\n'.join(problems))
    return pages
