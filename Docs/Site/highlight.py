"""Code as HTML, with the classes of its tokens: Swift and the shell; other languages stay as they are."""

import html
import re

KEYWORDS = '''
    Any actor any as associatedtype async await break case catch class consuming continue convenience default defer
    deinit do else enum extension fallthrough false fileprivate final for func get guard if import in indirect init
    inout internal is isolated lazy let mutating nil nonisolated operator override precedencegroup
    private protocol public repeat required rethrows return self Self sending set some static struct subscript super
    switch throw throws true try typealias unowned var weak where while
'''.split()

# An interpolation may contain calls and simple strings.
INTERPOLATION = r'\\\((?:[^()"\n]|"[^"\n]*"|\((?:[^()"\n]|"[^"\n]*"|\((?:[^()"\n]|"[^"\n]*")*\))*\))*\)'

SWIFT = re.compile(
    rf'''
    (?P<comment> //[^\n]* | /\*.*?\*/ )
    | (?P<string> (?P<marks>\#+)".*?"(?P=marks) | """.*?""" | "(?: {INTERPOLATION} | \\. | [^"\\\n] )*" )
    | (?P<attribute> [@\#][A-Za-z]\w* )
    | (?P<keyword> (?<![.\w`$])(?: {'|'.join(KEYWORDS)} )\b(?!\s*:(?!:)) )
    | (?P<type> \b[A-Z]\w* )
    | (?P<number> \b(?: 0x[\dA-Fa-f_]+ | \d[\d_]*(?:\.\d+)? )\b )
    | (?P<name> \w+ )
    ''',
    re.VERBOSE | re.DOTALL,
)

SHELL = re.compile(
    r'''
    (?P<comment> (?<!\S)\#[^\n]* )
    | (?P<string> '[^']*' | "(?: \\. | [^"\\] )*" )
    | (?P<name> [^\s'"]+ )
    ''',
    re.VERBOSE,
)

LANGUAGES = {'swift': SWIFT, 'swift-manifest': SWIFT, 'swift-program': SWIFT, 'sh': SHELL}


def highlighted(code, language):
    """Returns code as HTML; what has no class is only escaped."""
    if language not in LANGUAGES:
        return html.escape(code, quote=False)
    parts, end = [], 0
    for match in LANGUAGES[language].finditer(code):
        parts.append(html.escape(code[end:match.start()], quote=False))
        kind = next(name for name, text in match.groupdict().items() if text and name != 'marks')
        text = html.escape(match[0], quote=False)
        parts.append(text if kind == 'name' else f'<span class="{kind}">{text}</span>')
        end = match.end()
    return ''.join(parts) + html.escape(code[end:], quote=False)
