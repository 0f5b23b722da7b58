"""The Markdown of the guides as HTML: headings, paragraphs, lists, tables, quotations and code. HTML may be a comment, an
anchor (`<a id="name"></a>`) or `<br>`. Other HTML, images and what else the guides do not use are errors, so that no page
shows them as text.
"""

import html
import re

from .highlight import highlighted

FENCE = re.compile(r'( *)```([\w-]*)$')
HEADING = re.compile(r'(#{1,4}) (.+)$')
ITEM = re.compile(r'([-*]|\d+\.) +')
DELIMITERS = re.compile(r'\|(?: *:?-+:? *\|)+$')
LINK = re.compile(
    r'(?<!!)\[(?P<text>(?:`[^`]+`|[^\[\]`])+)\]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)'
)
TOKEN = re.compile(
    r'(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)'
    rf'|{LINK.pattern}'
    r'|<(?P<url>https?:[^>\s]+)>'
    r'|<a (?:id|name)="(?P<anchor>[^"]+)"></a>|(?P<break><br ?/?>)'
    r'|\\(?P<character>[!-/:-@\[-`{-~])'
)
# Stands around the number of a finished part of a line, while the rest is read; no guide contains this character.
PLACE = '\N{OBJECT REPLACEMENT CHARACTER}'


class MarkdownError(Exception):
    pass


def anchor(title):
    """Returns the anchor that GitHub gives to a heading."""
    title = LINK.sub(r'\g<text>', title).strip()
    return re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-')


def without_comments(text):
    """Returns a text without its HTML comments; a line that has only comments disappears."""
    parts = []
    # Comments in code are code.
    for part in re.split(r'(^ *```[^\n]*\n.*?^ *```$)', text, flags=re.MULTILINE | re.DOTALL):
        if re.match(r' *```', part):
            parts.append(part)
        else:
            part = re.sub(r'^(?: *<!--.*?--> *)+\n', '', part, flags=re.MULTILINE | re.DOTALL)
            parts.append(re.sub(r'<!--.*?-->', '', part, flags=re.DOTALL))
    return ''.join(parts)


def inline_code(code):
    """Returns code within a text: short code stays on a line, long code is broken between its words."""
    if len(code) < 16:
        return f'<code class="short">{html.escape(code, quote=False)}</code>'
    words = re.split(r'(?<=[:(/_,&=])(?=\w)|(?<=\w)(?=\.\w)|(?<=[a-z])(?=[A-Z])', code)
    return f'<code>{"<wbr>".join(html.escape(word, quote=False) for word in words)}</code>'


class Section:
    """A heading and what follows it until the next one."""

    def __init__(self, level, title, anchor):
        self.level, self.title, self.anchor, self.html = level, title, anchor, ''

    @property
    def plain_title(self):
        return plain(self.title)

    @property
    def text(self):
        """The text without its markup, for the search."""
        return plain(self.html)


def plain(markup):
    """Returns the text of some HTML, on one line."""
    text = re.sub(r'(</t[dh]>)(?=<t[dh])', r'\1 · ', markup)
    text = re.sub(r'</(?:p|li|tr|pre|h\d)>', ' ', text)
    return ' '.join(html.unescape(re.sub(r'<[^>]+>', '', text)).split())


class Markdown:
    """Reads a page. `link` returns the URL of a link's target, or nothing if the link shows its text only; `symbol`
    returns the URL of a name in code, or nothing.
    """

    def __init__(self, text, link=lambda target: target, symbol=lambda name, in_first_column: None):
        self.link, self.symbol = link, symbol
        self.sections = [Section(1, '', '')]
        self.anchors = set()
        self._counts = {}
        self._first_column = False
        self._blocks(without_comments(text).split('\n'), top=True)

    @property
    def title(self):
        return self.sections[0].plain_title

    # Blocks

    def _add(self, markup):
        self.sections[-1].html += markup + '\n'

    def _blocks(self, lines, top=False):
        """Reads blocks. Those of the page go to its sections; those of an item of a list are returned."""
        blocks = []
        add = self._add if top else blocks.append
        at = 0
        while at < len(lines):
            line = lines[at]
            if not line.strip():
                at += 1
            elif match := FENCE.match(line):
                at = self._code(lines, at, match, add)
            elif top and (match := HEADING.match(line)):
                self._heading(len(match[1]), match[2])
                at += 1
            elif line.startswith('|'):
                at = self._table(lines, at, add)
            elif ITEM.match(line):
                at = self._list(lines, at, add)
            elif line.startswith('>'):
                end = self._end(lines, at, lambda line: line.startswith('>'))
                quoted = [re.sub('^> ?', '', line) for line in lines[at:end]]
                add(f'<blockquote>{"".join(self._blocks(quoted))}</blockquote>')
                at = end
            elif re.match(r' {4}|#|<(?!a |https?:)[a-z/!]|---|===|\*\*\*$|\[[^]]+\]:', line):
                raise MarkdownError(f'the site does not show this kind of Markdown: {line}')
            else:
                end = self._end(lines, at, lambda line: line.strip() and not (
                    FENCE.match(line) or HEADING.match(line) or ITEM.match(line) or line.startswith(('|', '>'))
                ))
                add(f'<p>{self.inline(" ".join(line.strip() for line in lines[at:max(end, at + 1)]))}</p>')
                at = max(end, at + 1)
        return blocks

    @staticmethod
    def _end(lines, at, belongs):
        while at < len(lines) and belongs(lines[at]):
            at += 1
        return at

    def _heading(self, level, title):
        name = anchor(title)
        count = self._counts.get(name, 0)
        self._counts[name] = count + 1
        name = f'{name}-{count}' if count else name
        self.anchors.add(name)
        text = self.inline(title)
        if level == 1:
            if self.sections[0].title:
                raise MarkdownError(f'a second title: {title}')
            self.sections[0].title, self.sections[0].anchor = text, name
        else:
            self.sections.append(Section(level, text, name))

    def _code(self, lines, at, fence, add):
        indent, language = len(fence[1]), fence[2]
        end = self._end(lines, at + 1, lambda line: line.strip() != '```')
        if end == len(lines):
            raise MarkdownError('the last block of code has no end')
        code = '\n'.join(line[indent:] for line in lines[at + 1:end])
        add(f'<pre data-language="{language or "text"}"><code>{highlighted(code, language)}</code></pre>')
        return end + 1

    def _list(self, lines, at, add):
        """Reads a list, whose items may have further lines, indented, and blocks of their own."""
        ordered = lines[at][0].isdigit()
        items = []
        while at < len(lines) and (match := ITEM.match(lines[at])) and match[1][0].isdigit() == ordered:
            indent = match.end()
            own = [lines[at][indent:]]
            at += 1
            while at < len(lines):
                line = lines[at]
                if line.startswith('  '):
                    own.append(line[min(indent, len(line) - len(line.lstrip())):])
                elif line.strip():
                    break
                elif at + 1 < len(lines) and lines[at + 1].startswith('  '):
                    own.append('')
                else:
                    break
                at += 1
            items.append(self._item(own))
            following = self._end(lines, at, lambda line: not line.strip())
            if following > at and following < len(lines) and (match := ITEM.match(lines[following])):
                if match[1][0].isdigit() == ordered:
                    at = following
        tag = 'ol' if ordered else 'ul'
        add(f'<{tag}>\n' + '\n'.join(f'<li>{item}</li>' for item in items) + f'\n</{tag}>')
        return at

    def _item(self, lines):
        blocks = self._blocks(lines)
        if blocks and blocks[0].startswith('<p>'):
            blocks[0] = blocks[0].removeprefix('<p>').removesuffix('</p>')
        return '\n'.join(blocks)

    def _table(self, lines, at, add):
        end = self._end(lines, at, lambda line: line.startswith('|'))
        if end < at + 2 or not DELIMITERS.match(lines[at + 1].strip()):
            raise MarkdownError(f'a table without a line of delimiters: {lines[at]}')
        head, delimiters, *rows = (self._cells(line) for line in lines[at:end])
        numeric = [cell.endswith(':') for cell in delimiters]

        def row(cells, tag):
            if len(cells) != len(delimiters):
                raise MarkdownError(f'a row with {len(cells)} cells in a table of {len(delimiters)}: {cells}')
            result = ''
            for index, cell in enumerate(cells):
                self._first_column = index == 0
                result += f'<{tag}{" class=number" if numeric[index] else ""}>{self.inline(cell)}</{tag}>'
            self._first_column = False
            return f'<tr>{result}</tr>'

        heading = f'<thead>{row(head, "th")}</thead>\n' if any(head) else ''
        body = '\n'.join(row(cells, 'td') for cells in rows)
        add(f'<div class="table"><table>\n{heading}<tbody>\n{body}\n</tbody></table></div>')
        return end

    @staticmethod
    def _cells(line):
        line = line.strip().removeprefix('|')
        cells = re.split(r'(?<!\\)\|', line)
        if cells[-1].strip():
            raise MarkdownError(f'a row without a last bar: {line}')
        return [cell.strip().replace('\\|', '|') for cell in cells[:-1]]

    # Text

    def inline(self, text, in_link=False):
        """Returns a line of text as HTML."""
        finished = []

        def replaced(match):
            finished.append(self._token(match, in_link))
            return f'{PLACE}{len(finished) - 1}{PLACE}'

        text = TOKEN.sub(replaced, text)
        if match := re.search(r'<[a-zA-Z/!]|!\[|\]\(', text):
            raise MarkdownError(f'the site does not show this kind of Markdown: {text[match.start():][:60]}')
        text = html.escape(text, quote=False)
        text = re.sub(r'\*\*(?=\S)(.+?)(?<=\S)\*\*', r'<strong>\1</strong>', text)
        text = re.sub(r'(?<![\w*])([*_])(?=[^\s*_])([^*_]+?)(?<=\S)\1(?![\w*])', r'<em>\2</em>', text)
        return re.sub(f'{PLACE}(\\d+){PLACE}', lambda match: finished[int(match[1])], text)

    def _token(self, match, in_link):
        if character := match['character']:
            return html.escape(character)
        if match['break']:
            return '<br>'
        if name := match['anchor']:
            self.anchors.add(name)
            return f'<span id="{html.escape(name)}"></span>'
        if url := match['url']:
            return f'<a href="{html.escape(url)}">{html.escape(url)}</a>'
        if code := match['code']:
            code = code[1:-1] if code.startswith(' ') and code.endswith(' ') and code.strip() else code
            url = None if in_link else self.symbol(code, self._first_column)
            code = inline_code(code)
            return f'<a class="symbol" href="{html.escape(url)}">{code}</a>' if url else code
        text, url = self.inline(match['text'], in_link=True), self.link(match['target'])
        return f'<a href="{html.escape(url)}">{text}</a>' if url else text
