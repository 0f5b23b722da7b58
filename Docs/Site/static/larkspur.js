// The search, the menu of narrow screens, and the buttons that copy code. Pages can be read without it.
'use strict'

const root = document.currentScript.dataset.root
const larkspurSearch = {}  // search-guides.js and search-symbols.js set its properties.

// The index

let loading
function load() {
    loading ??= Promise.all(['search-guides.js', 'search-symbols.js'].map(name => new Promise((resolve, reject) => {
        const script = document.createElement('script')
        script.src = `${root}assets/${name}`
        script.onload = resolve
        script.onerror = reject
        document.head.append(script)
    }))).then(() => {
        const { pages, sections } = larkspurSearch.guides
        const { kinds, modules, symbols } = larkspurSearch.symbols
        return {
            sections: sections.map(([page, heading, anchor, text]) => ({
                title: pages[page][0], weight: pages[page][2], heading, text,
                url: pages[page][1] + (anchor && `#${anchor}`),
                folded: { title: fold(pages[page][0]), heading: fold(heading || pages[page][0]), text: fold(text) },
            })),
            symbols: symbols.map(([name, kind, module, url, text]) => ({
                name, kind: kinds[kind], module: modules[module], url, text,
                folded: fold(name), member: fold(member(name)),
            })),
        }
    })
    return loading
}

// Each character keeps its place, so that places in a folded text are those of the text.
function fold(text) {
    return Array.from(text, character => {
        const lower = character.toLowerCase()
        return lower.length == character.length ? lower : character
    }).join('').replaceAll('’', "'")
}

// The last name of a symbol: `get(_:)` of `SessionManager.get(_:)`.
function member(name) {
    const [path] = name.split('(')
    return name.slice(path.lastIndexOf('.') + 1)
}

// Where a word begins with a term, or else where a word contains it; -1 if the text does not have it.
function place(text, term) {
    let first = -1
    for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
        if (at == 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) return at
        if (first < 0) first = at
    }
    return first
}

function begins(text, term) {
    const at = place(text, term)
    return at == 0 || at > 0 && !/[\p{L}\p{N}]/u.test(text[at - 1])
}

// Headings count more than text, a whole phrase more than its words, and the beginning of a word more than its middle.
function scoreOfSection({ weight, folded }, phrase, terms) {
    return weight * scoreOfTexts(folded, phrase, terms)
}

function scoreOfTexts({ title, heading, text }, phrase, terms) {
    const whole = `${title} ${heading} ${text}`
    if (!terms.every(term => whole.includes(term))) return 0
    if (heading == phrase) return 100
    if (begins(heading, phrase)) return (heading.startsWith(phrase) ? 85 : 75) - Math.min(heading.length / 10, 5)
    if (terms.every(term => begins(heading, term))) return 65
    if (terms.every(term => begins(`${title} ${heading}`, term))) return 55
    const inHeading = terms.filter(term => begins(heading, term)).length / terms.length
    if (begins(text, phrase)) return 40 + 8 * inHeading + (text.split(phrase).length > 3 ? 3 : 0)
    if (terms.every(term => begins(whole, term))) return 20 + 10 * inHeading
    return 8
}

function scoreOfSymbol({ folded, member, kind }, phrase, terms) {
    const isType = ['class', 'struct', 'enum', 'protocol', 'type alias', 'function'].includes(kind)
    const base = member.split('(')[0]
    if (folded == phrase || isType && member == phrase) return 95
    if (member == phrase || base == phrase) return 80
    if (folded.startsWith(phrase)) return isType ? 70 : 45
    if (member.startsWith(phrase)) return isType ? 60 : 44
    if (terms.every(term => folded.includes(term))) return isType ? 42 : 30
    return 0
}

// The plural of a word in y, and the singular of a plural; other plurals begin with the word itself.
function otherForm(word) {
    if (word.endsWith('ies')) return word.replace(/ies$/, 'y')
    if (word.length < 4) return word
    return word.endsWith('y') ? word.replace(/y$/, 'ies') : word.replace(/s$/, '')
}

function search(index, query) {
    const terms = fold(query).trim().split(/\s+/)
    const queries = [terms, terms.map(otherForm)].map(terms => ({ phrase: terms.join(' '), terms }))
    const rank = (items, score) => items
        .map(item => {
            const [own, other] = queries.map(({ phrase, terms }) => score(item, phrase, terms))
            return own >= other ? { item, score: own, ...queries[0] } : { item, score: other * 0.95, ...queries[1] }
        })
        .filter(({ score }) => score > 0)
        .sort((one, other) => other.score - one.score)
    const ofPage = {}
    // A guide with many sections leaves room for others.
    const sections = rank(index.sections, scoreOfSection)
        .filter(({ item }) => (ofPage[item.title] = (ofPage[item.title] ?? 0) + 1) <= 3)
    const symbols = rank(index.symbols, scoreOfSymbol).slice(0, sections.length > 6 ? 5 : 10)
    return [...sections.slice(0, 20), ...symbols].sort((one, other) => other.score - one.score).slice(0, 16)
}

// The results

const box = document.querySelector('.search')
const input = document.getElementById('Search')
const list = document.getElementById('Results')
const statusLine = document.getElementById('Status')
let selected = -1

function element(name, className, ...children) {
    const result = document.createElement(name)
    if (className) result.className = className
    result.append(...children)
    return result
}

// A part of a text around the place of a phrase or of its first word, with both marked.
function snippet(text, phrase, terms) {
    const folded = fold(text)
    let at = place(folded, phrase)
    const found = at >= 0 ? [phrase] : terms.filter(term => folded.includes(term))
    if (at < 0) at = Math.max(0, ...found.slice(0, 1).map(term => place(folded, term)))
    let start = Math.max(0, at - 50)
    if (start > 0) start = text.indexOf(' ', start) + 1 || start
    let end = Math.min(text.length, start + 150)
    if (end < text.length) end = Math.max(text.lastIndexOf(' ', end), at + phrase.length)
    const result = element('span', 'snippet', start > 0 ? '… ' : '')
    while (start < end) {
        const next = found.map(term => [folded.indexOf(term, start), term.length])
            .filter(([at]) => at >= 0 && at < end)
            .sort(([one], [other]) => one - other)[0]
        if (!next) break
        result.append(text.slice(start, next[0]), element('mark', '', text.slice(next[0], next[0] + next[1])))
        start = next[0] + next[1]
    }
    result.append(text.slice(start, Math.max(start, end)), end < text.length ? ' …' : '')
    return result
}

function row({ item, phrase, terms }, number) {
    const where = item.name
        ? element('span', 'where', element('code', '', item.name), element('small', '', `${item.kind}, ${item.module}`))
        : element('span', 'where', item.heading || item.title, element('small', '', item.heading && item.title))
    const result = element('a', '', where, item.text ? snippet(item.text, phrase, terms) : '')
    result.href = root + item.url
    result.id = `result-${number}`
    result.tabIndex = -1
    result.setAttribute('role', 'option')
    result.setAttribute('aria-selected', 'false')
    result.addEventListener('mousemove', () => select(number, false))
    result.addEventListener('click', closeList)
    return result
}

function select(number, scrolls = true) {
    if (number == selected) return
    const rows = list.querySelectorAll('a')
    rows[selected]?.setAttribute('aria-selected', 'false')
    selected = number
    rows[selected]?.setAttribute('aria-selected', 'true')
    if (scrolls) rows[selected]?.scrollIntoView({ block: 'nearest' })
    if (rows[selected]) input.setAttribute('aria-activedescendant', rows[selected].id)
    else input.removeAttribute('aria-activedescendant')
}

function closeList() {
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
    select(-1)
}

async function show() {
    const query = input.value
    if (!query.trim()) return closeList()
    let results = [], failure = `There is nothing about “${query.trim()}”.`
    try {
        results = search(await load(), query)
    } catch {
        failure = 'The index of the search cannot be loaded.'
    }
    // The query may have changed meanwhile.
    if (query != input.value) return
    select(-1)
    list.replaceChildren(...results.map(row))
    if (!results.length) list.append(element('p', '', failure))
    statusLine.textContent = results.length == 1 ? '1 result' : `${results.length} results`
    list.hidden = false
    list.scrollTop = 0
    input.setAttribute('aria-expanded', 'true')
    if (results.length) select(0)
}

input.addEventListener('focus', () => {
    load().catch(() => {})
    if (input.value.trim()) show()
})
input.addEventListener('input', show)
input.addEventListener('keydown', event => {
    const count = list.querySelectorAll('a').length
    if (event.key == 'Escape') {
        if (list.hidden) input.value = ''
        closeList()
    } else if (list.hidden || !count) {
        return
    } else if (event.key == 'ArrowDown') {
        select((selected + 1) % count)
    } else if (event.key == 'ArrowUp') {
        select((selected + count - 1) % count)
    } else if (event.key == 'Enter') {
        list.querySelectorAll('a')[Math.max(selected, 0)].click()
    } else {
        return
    }
    event.preventDefault()
})
document.addEventListener('keydown', event => {
    const isWriting = /^(input|textarea|select)$/i.test(event.target.tagName)
    const isSlash = event.key == '/' && !isWriting && !event.ctrlKey && !event.metaKey && !event.altKey
    if (!isSlash && !(event.key.toLowerCase() == 'k' && (event.ctrlKey || event.metaKey))) return
    event.preventDefault()
    input.focus()
    input.select()
})
// The bar of the reference links to the search.
if (location.hash == '#Search') input.focus()
document.addEventListener('pointerdown', event => { if (!box.contains(event.target)) closeList() })
box.addEventListener('focusout', ({ relatedTarget: next }) => { if (next && !box.contains(next)) closeList() })

// The menu

const sidebar = document.getElementById('Sidebar')
const menu = document.querySelector('.menu')
menu?.addEventListener('click', () => {
    menu.setAttribute('aria-expanded', sidebar.classList.toggle('open'))
})
const current = sidebar?.querySelector('[aria-current]')
if (current) sidebar.scrollTop = current.offsetTop - sidebar.offsetTop - sidebar.clientHeight / 2
if (matchMedia('(max-width: 75rem)').matches) document.querySelector('.contents details')?.removeAttribute('open')

// Code and tables

for (const block of document.querySelectorAll('pre')) {
    const button = element('button', 'copy', 'Copy')
    button.type = 'button'
    button.addEventListener('click', async () => {
        await navigator.clipboard.writeText(block.innerText)
        button.textContent = 'Copied'
        setTimeout(() => { button.textContent = 'Copy' }, 1500)
    })
    const wrapper = element('div', 'block')
    block.replaceWith(wrapper)
    wrapper.append(block, button)
}
// What scrolls can be reached with the keyboard.
for (const block of document.querySelectorAll('pre, .table')) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0
}
