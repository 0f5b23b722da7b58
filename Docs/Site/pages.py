"""The pages of the site that DocC does not make: the first page, and a page for each guide."""

import functools
import html
import posixpath
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from string import Template
from urllib.parse import unquote

from . import figures, search
from .guides import GROUPS, ROOT, TASKS, Problems, check_groups, guides, title
from .markdown import Markdown, plain
from .symbols import Symbols

STATIC = Path(__file__).parent / 'static'
MENU = '<button class="menu" type="button" aria-expanded="false" aria-controls="Sidebar">Guides</button>\n'
# A list of a page's own headings, which the contents beside the text replace.
OWN_CONTENTS = re.compile(r'<ul>\n(?:<li><a href="#[^"]*">(?:(?!</?li>).)*</a></li>\n)+</ul>\n')


def template(name, **values):
    """Returns a template with values. Its identifiers have capitals, which the anchors of headings never have."""
    return Template((STATIC / name).read_text()).substitute(values)


def page(body, title, kind, root, description, menu='', origin=''):
    return template(
        'page.html', body=body, title=html.escape(title), kind=kind, root=root, menu=menu, origin=origin,
        description=html.escape(description), version=figures.version(),
    )


def write(site, products):
    """Writes the pages into a site, and checks their links. Returns the numbers of guides and symbols."""
    check_groups()
    symbols = Symbols(site)
    pages = guides(symbols)
    for folder in (site / 'guides', site / 'assets'):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for file in STATIC.iterdir():
        if file.suffix != '.html':
            shutil.copy(file, site / 'assets')
    search.write(site / 'assets', pages, symbols)
    for number, guide in enumerate(pages):
        neighbours = pages[number - 1] if number else None, pages[number + 1] if number + 1 < len(pages) else None
        (site / f'guides/{guide.name}.html').write_text(guide_page(guide, *neighbours))
    (site / 'index.html').write_text(first_page(products))
    check_links(site)
    return len(pages), len(symbols.all)


# The guides

def guide_page(guide, previous, following):
    introduction, *sections = guide.sections
    text = OWN_CONTENTS.sub('', introduction.html)
    for section in sections:
        tag = f'h{section.level}'
        text += (
            f'<{tag} id="{section.anchor}">{section.title}'
            f'<a class="anchor" href="#{section.anchor}" aria-label="Link to this heading">#</a></{tag}>\n'
            f'{section.html}'
        )
    body = template(
        'guide.html', sidebar=sidebar(guide.name), contents=contents(sections), heading=introduction.title, text=text,
        anchor=introduction.anchor, steps=step(previous, 'Previous') + step(following, 'Next'),
    )
    return page(
        body, f'{guide.title} – Larkspur', 'guide', '../', f'{guide.title}: {TASKS[guide.name]}', menu=MENU,
        origin=f' This page is <code>Docs/{guide.name}.md</code> of the package.',
    )


def sidebar(current):
    groups = []
    for group, names in GROUPS.items():
        links = ''
        for name in names:
            mark = ' aria-current="page"' if name == current else ''
            links += f'<li><a href="{name}.html"{mark}>{html.escape(title(name))}</a></li>\n'
        groups.append(f'<h2>{group}</h2>\n<ul>\n{links}</ul>')
    return '\n'.join(groups)


def contents(sections):
    """Returns the list of a guide's headings, of two levels."""
    items = ''
    for section in sections:
        # Code in headings stays code; their links are links to the headings.
        text = re.sub(r'</?a\b[^>]*>', '', section.title)
        link = f'<li><a href="#{section.anchor}">{text}</a></li>\n'
        if section.level == 2:
            items += link
        elif section.level == 3:
            items += f'<li><ul>{link.strip()}</ul></li>\n'
    items = items.replace('</ul></li>\n<li><ul>', '\n')
    if not items:
        return ''
    return (
        '<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary>\n'
        f'<ul>\n{items}</ul>\n</details></nav>'
    )


def step(guide, label):
    return f'<a href="{guide.name}.html"><small>{label}</small>{html.escape(guide.title)}</a>\n' if guide else ''


# The first page

def first_page(products):
    readme = Markdown((ROOT / 'README.md').read_text(), link=lambda target: None)
    lead = re.search(r'<p>(.+?[.])(?: |</p>)', readme.sections[0].html)
    # With what it prints, if that follows.
    program = re.search(
        r'<pre data-language="swift.*?</pre>\n(?:<pre data-language="text".*?</pre>)?', readme.sections[0].html, re.DOTALL
    )
    if not lead or not program or 'import' not in plain(program[0]):
        raise Problems('README.md does not begin with a sentence about Larkspur and a program.')
    body = template(
        'landing.html', lead=lead[1], program=program[0],
        reasons='\n'.join(reason(*values) for values in figures.reasons()),
        products='\n'.join(
            f'<li><a href="documentation/{product.lower()}/"><code>{product}</code></a></li>' for product in products
        ),
        groups='\n'.join(group(*values) for values in GROUPS.items()),
    )
    return page(body, 'Larkspur', 'landing', '', plain(lead[1]))


def reason(figure, heading, text):
    # The link of a guide is one of the first page, which is a folder above.
    text = Markdown(text, link=lambda target: f'guides/{target.replace(".md", ".html")}').sections[0].html
    return f'<div>\n<p class="figure">{figure}</p>\n<h3>{heading}</h3>\n{text}</div>'


def group(name, guides):
    links = ''.join(
        f'<li><a href="guides/{guide}.html">{html.escape(title(guide))}</a><small>{html.escape(task)}</small></li>\n'
        for guide, task in guides.items()
    )
    return f'<div>\n<h3>{name}</h3>\n<ul>\n{links}</ul>\n</div>'


# The links

class Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.anchors = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ('href', 'src'):
                self.targets.add(value)
            elif name == 'id':
                if value in self.anchors:
                    self.targets.add(f'the anchor {value} twice')
                self.anchors.add(value)


def check_links(site):
    """Reports each link of the pages that leads to no file or anchor of the site, and those that leave its folder."""
    # Paths are relative to the site.
    pages = ['index.html', *sorted(f'guides/{file.name}' for file in (site / 'guides').glob('*.html'))]
    links = {page: Links((site / page).read_text()) for page in pages}
    # The guides can be written without a reference; then its pages are missing.
    has_reference = (site / 'documentation').exists()

    @functools.cache
    def exists(path):
        if path.startswith('documentation/') and not has_reference:
            return True
        return not path.startswith('..') and (site / path).is_file()

    problems = []
    for page in pages:
        for target in sorted(links[page].targets):
            if re.match(r'[a-z]+:', target):
                continue
            file, _, fragment = unquote(target).partition('#')
            file += 'index.html' if file.endswith('/') else ''
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), file)) if file else page
            if not exists(path) or fragment and fragment not in links[path].anchors:
                problems.append(f'{page}: the link to {target} leads nowhere')
    if problems:
        raise Problems('\n'.join(problems))
