// Returns what is wrong with the page that the browser shows, as a list of sentences.
(() => {
    const problems = []
    const all = selector => [...document.querySelectorAll(selector)]
    const start = node => node.textContent.trim().slice(0, 40)
    const isShown = element => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })

    const width = document.documentElement.scrollWidth
    if (width > innerWidth) problems.push(`it is ${width} pixels wide on a screen of ${innerWidth}`)
    for (const [selector, count] of [['h1', 1], ['main', 1], ['header', 1], ['footer', 1], ['title', 1]]) {
        if (all(selector).length != count) problems.push(`it has ${all(selector).length} of ${selector}`)
    }
    if (all('nav:not([aria-label])').length) problems.push('a nav has no label')
    if (all('img:not([alt])').length) problems.push('an image has no text')
    const levels = all('h1, h2, h3, h4').filter(heading => heading.closest('main')).map(heading => +heading.tagName[1])
    levels.forEach((level, index) => {
        const previous = levels[index - 1] ?? 0
        if (level > previous + 1) problems.push(`a heading of level ${level} follows one of ${previous}`)
    })
    const unreachable = all('pre, .table').find(block => block.scrollWidth > block.clientWidth && block.tabIndex < 0)
    if (unreachable) problems.push(`the keyboard does not reach what scrolls: ${start(unreachable)}`)

    // WCAG 2.1, 1.4.3: the contrast of text.
    const channels = colour => colour.match(/[\d.]+/g).map(Number)
    const luminance = colour => channels(colour).slice(0, 3)
        .map(value => value / 255)
        .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0)
    const background = element => {
        for (let at = element; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor
            if ((channels(colour)[3] ?? 1) == 1) return colour
        }
        return 'rgb(255, 255, 255)'
    }
    const seen = new Set()
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement
        if (!texts.currentNode.data.trim() || !isShown(element)) continue
        const colours = [getComputedStyle(element).color, background(element)]
        if (seen.has(colours.join())) continue
        seen.add(colours.join())
        const [dark, light] = colours.map(luminance).sort((one, other) => one - other)
        const contrast = (light + 0.05) / (dark + 0.05)
        if (contrast < 4.5) problems.push(`a contrast of ${contrast.toFixed(1)}: ${start(texts.currentNode)}`)
    }
    const isDark = luminance(background(document.body)) < 0.2
    if (isDark != matchMedia('(prefers-color-scheme: dark)').matches) problems.push('it has the other colours')
    return problems
})()
