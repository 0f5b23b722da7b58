"""The index of the search, as two scripts: the sections of the guides, and the symbols. They are scripts, and not JSON
files, because a page that was opened from a disk may load no other file.
"""

import json

from .guides import GROUPS

# Guides that most people who search for a task do not need.
LATER = {name for group in ('Moving here', 'About the project') for name in GROUPS[group]}


def write(folder, guides, symbols):
    """Writes the scripts, which larkspur.js loads when the search is used for the first time."""
    pages = [[guide.title, f'guides/{guide.name}.html', 0.8 if guide.name in LATER else 1] for guide in guides]
    sections = []
    for number, guide in enumerate(guides):
        for section in guide.sections:
            heading = '' if section.level == 1 else section.plain_title
            sections.append([number, heading, '' if section.level == 1 else section.anchor, section.text])
    save(folder / 'search-guides.js', 'guides', {'pages': pages, 'sections': sections})

    kinds, modules = sorted({symbol.kind for symbol in symbols.all}), sorted({symbol.module for symbol in symbols.all})
    save(folder / 'search-symbols.js', 'symbols', {
        'kinds': kinds,
        'modules': modules,
        'symbols': [
            [symbol.name, kinds.index(symbol.kind), modules.index(symbol.module), symbol.path, symbol.abstract]
            for symbol in symbols.all
        ],
    })


def save(path, name, value):
    text = json.dumps(value, ensure_ascii=False, separators=(',', ':'))
    path.write_text(f'larkspurSearch.{name}={text}\n')
