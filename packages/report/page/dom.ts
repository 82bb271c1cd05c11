import { showHidden } from '@callspec/eval/show-hidden'

type Child = Node | string | null | false

/** An element with attributes and children. Texts become text nodes: nothing that a model wrote is ever read as markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  children: readonly Child[] = [],
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, SHOWN.has(key) ? showHidden(value) : value)
  for (const child of children)
    if (child !== null && child !== false) made.append(typeof child === 'string' ? showHidden(child) : child)
  return made
}

/** Attributes that people get to read. */
const SHOWN: ReadonlySet<string> = new Set(['title', 'aria-label'])

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
