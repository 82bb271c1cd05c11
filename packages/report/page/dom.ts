import { showHidden } from '@callspec/eval/text'

type Child = Node | string | null | false

/** An element with attributes and children. Texts become text nodes: nothing that a model wrote is ever read as markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  children: readonly Child[] = [],
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, SHOWN_ATTRIBUTES.has(key) ? showHidden(value) : value)
  for (const child of children)
    if (child !== null && child !== false) made.append(typeof child === 'string' ? showHidden(child) : child)
  return made
}

/** Attributes that people get to read. */
const SHOWN_ATTRIBUTES: ReadonlySet<string> = new Set(['title', 'aria-label'])

/** A text in both languages of the page. */
export function say(en: string, zh: string): DocumentFragment {
  const both = document.createDocumentFragment()
  both.append(element('span', { lang: 'en' }, [en]), element('span', { lang: 'zh' }, [zh]))
  return both
}

/** A button that calls back. */
export function button(
  label: Child,
  onClick: () => void,
  attributes: Readonly<Record<string, string>> = {},
): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, [label])
  made.addEventListener('click', onClick)
  return made
}

/** Buttons that copy the text of an element to the clipboard; without a clipboard, the text is selected for copying by hand. */
export function startCopying(page: Document): void {
  for (const button of page.querySelectorAll<HTMLButtonElement>('button[data-copy]'))
    button.addEventListener('click', () => {
      const source = page.getElementById(button.dataset['copy'] ?? '')
      if (source !== null) void copied(source).then((words) => button.replaceChildren(words))
    })
}

async function copied(source: HTMLElement): Promise<DocumentFragment> {
  try {
    await navigator.clipboard.writeText(source.textContent)
    return say('Copied ✓', '已复制 ✓')
  } catch {
    source.closest('details')?.setAttribute('open', '')
    getSelection()?.selectAllChildren(source)
    return say('Marked below: copy it', '已在下方选中，请复制')
  }
}

/**
 * Buttons for rows that are not shown at first: where scripts run, a `noscript` is plain text, which costs nothing until it is asked for. On paper
 * all rows are there.
 */
export function startMoreRows(page: Document): void {
  for (const place of page.querySelectorAll<HTMLElement>('[data-more]')) {
    const markup = place.querySelector('noscript')?.textContent ?? ''
    const show = (): void => {
      place.innerHTML = markup
      place.removeAttribute('data-more')
      page.defaultView?.removeEventListener('beforeprint', show)
    }
    const count = place.dataset['more'] ?? ''
    const onClick = (): void => {
      show()
      place.querySelector('a')?.focus()
    }
    place.prepend(button(say(`Show ${count} more`, `显示其余 ${count} 行`), onClick))
    page.defaultView?.addEventListener('beforeprint', show)
  }
}

/** Where the browser keeps the language that a user chose, for all pages of callspec. */
const CHOSEN_LANGUAGE = 'callspec-language'

/** Shows the page in the browser's language, unless it was made for one, and starts the buttons that change it. */
export function startLanguages(page: Document): void {
  const root = page.documentElement
  const buttons = [...page.querySelectorAll<HTMLButtonElement>('button[data-set-language]')]
  const show = (language: string): void => {
    root.dataset['language'] = language
    root.lang = language
    for (const button of buttons)
      button.setAttribute('aria-pressed', String(button.dataset['setLanguage'] === language))
  }
  for (const button of buttons)
    button.addEventListener('click', () => {
      const language = button.dataset['setLanguage'] ?? 'en'
      show(language)
      keepLanguage(language)
    })
  const given = root.dataset['language'] ?? 'en'
  show(root.dataset['languageOf'] === 'browser' ? (languageOfBrowser() ?? given) : given)
}

/** The language that was chosen before, else the first of the browser's that the page has. */
function languageOfBrowser(): string | undefined {
  const known = (name: string): string | undefined => /^(?:en|zh)(?=-|$)/i.exec(name)?.[0].toLowerCase()
  return known(keptLanguage() ?? '') ?? navigator.languages.map(known).find((name) => name !== undefined)
}

// Browsers may forbid a file to keep anything: then the choice holds as long as the page is open.
function keptLanguage(): string | null {
  try {
    return localStorage.getItem(CHOSEN_LANGUAGE)
  } catch {
    return null
  }
}

function keepLanguage(language: string): void {
  try {
    localStorage.setItem(CHOSEN_LANGUAGE, language)
  } catch {
    // See above.
  }
}

/** A part of a text that has a look of its own. */
export interface TextPart {
  readonly kind: string
  readonly start: number
  readonly end: number
}

/** Markers of the formats, which are coloured everywhere. */
const SPAN_MARKS =
  /<\/?(?:tool_call|tool_response|tools|think)>|✿(?:FUNCTION|ARGS|RESULT|RETURN)✿:?|<\|(?:im_start|im_end|endoftext)\|>|^(?:Action|Action Input|Observation|Thought|Final Answer|Question):/gm

/** A text as it is: parts in their colours, marks marked, and white space drawn when the page asks for it. */
export function textView(text: string, parts: readonly TextPart[] = []): HTMLPreElement {
  const view = element('pre', { class: 'bytes', tabindex: '0' })
  const covered = parts.length === 0 ? [{ kind: 'text', start: 0, end: text.length }] : parts
  for (const { kind, start, end } of covered) {
    const inner = marked(text.slice(start, end))
    if (kind === 'text') view.append(...inner)
    else view.append(element('span', { class: `span span-${kind}`, title: kind }, inner))
  }
  return view
}

function marked(text: string): Node[] {
  const nodes: Node[] = []
  let at = 0
  for (const match of text.matchAll(SPAN_MARKS)) {
    nodes.push(...drawnText(text.slice(at, match.index)), element('mark', {}, drawnText(match[0])))
    at = match.index + match[0].length
  }
  return [...nodes, ...drawnText(text.slice(at))]
}

/** Text nodes; blanks, tabs and line ends get a sign that the style shows on demand. */
function drawnText(text: string): Node[] {
  return text.split(/( +|\t|\r?\n)/).flatMap((piece): Node[] => {
    if (piece === '') return []
    if (/^ +$/.test(piece)) return [element('span', { class: 'ws', 'data-sign': '·'.repeat(piece.length) }, [piece])]
    if (piece === '\t') return [element('span', { class: 'ws', 'data-sign': '→' }, [piece])]
    if (piece === '\n') return [element('span', { class: 'ws-end' }), document.createTextNode('\n')]
    if (piece === '\r\n') return [element('span', { class: 'ws-end ws-cr' }), document.createTextNode('\n')]
    return [document.createTextNode(showHidden(piece))]
  })
}
