import type { ReplyItem } from '@callspec/core'
import { element, say } from '@callspec/report/page'
import type { PlaygroundState } from '../src/state.ts'

/** One side of the page. */
export interface Panel {
  readonly view: HTMLElement
  readonly update: (state: PlaygroundState) => void
}

export function itemKindLabel(item: ReplyItem): DocumentFragment {
  switch (item.kind) {
    case 'text':
      return say('text', '文本')
    case 'reasoning':
      return say('reasoning', '思考')
    case 'call':
      return say('call', '调用')
    default:
      return item.weight === 'harm' ? say('error', '错误') : say('note', '说明')
  }
}

export function countedText(
  count: number,
  [one, many, zh]: readonly [one: string, many: string, zh: string],
): DocumentFragment {
  return say(`${count} ${count === 1 ? one : many}`, `${count} ${zh}`)
}

/** A text that is no longer than people read, with how much of it is left out. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (+${text.length - most})`
}

/** How many things of a list are not shown; null for none. */
export function andMore(count: number): HTMLElement | null {
  return count > 0 ? element('p', { class: 'quiet' }, [say(`and ${count} more`, `另有 ${count} 项`)]) : null
}

/** A text to paste. */
interface Field {
  readonly view: HTMLElement
  /** Shows a text that came from elsewhere. */
  readonly set: (text: string) => void
}

interface FieldLook {
  readonly id: string
  readonly label: DocumentFragment
  readonly rows: number
  /** Receives typed and pasted texts, and opened files exactly: a text area has no carriage return. */
  readonly onText: (text: string) => void
}

/** A text area with its label; a file can be opened instead. Nothing that is opened leaves the page. */
export function field({ id, label, rows, onText }: FieldLook): Field {
  const area = element('textarea', { id, rows: String(rows), spellcheck: 'false', autocomplete: 'off' })
  area.addEventListener('input', () => onText(area.value))
  const file = element('input', { type: 'file', id: `${id}-file` })
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? []
    if (chosen === undefined) return
    chosen.text().then(
      (text) => {
        area.value = text
        onText(text)
      },
      // A file that is missing or not readable changes nothing.
      () => undefined,
    )
    file.value = ''
  })
  const view = element('div', { class: 'field' }, [
    element('p', { class: 'field-head' }, [
      element('label', { for: id }, [label]),
      element('label', { class: 'file' }, [file, say('open a file', '打开文件')]),
    ]),
    area,
  ])
  return {
    view,
    set: (text) => {
      if (area.value !== text) area.value = text
    },
  }
}

/** A list to choose from. */
interface Choice {
  readonly view: HTMLElement
  /** Offers values, each by its name. What is chosen stays if it is among them. */
  readonly offer: (values: readonly (readonly [value: string, name: string])[], chosen: string) => void
}

export function choice(id: string, label: DocumentFragment, onChoice: (value: string) => void): Choice {
  const select = element('select', { id })
  select.addEventListener('change', () => onChoice(select.value))
  return {
    view: element('label', { class: 'choice' }, [label, ' ', select]),
    offer: (values, chosen) => {
      select.replaceChildren(...values.map(([value, name]) => element('option', { value }, [name])))
      select.value = values.some(([value]) => value === chosen) ? chosen : (values[0]?.[0] ?? '')
    },
  }
}

interface Tick {
  readonly view: HTMLElement
  readonly set: (isTicked: boolean) => void
}

export function tick(id: string, label: DocumentFragment, onTick: (isTicked: boolean) => void): Tick {
  const box = element('input', { type: 'checkbox', id })
  box.addEventListener('change', () => onTick(box.checked))
  return {
    view: element('label', { class: 'choice' }, [box, ' ', label]),
    set: (isTicked) => {
      box.checked = isTicked
    },
  }
}

/** A small window that says why a stretch of text is marked: on hover, on focus, and on touch. */
export interface Tip {
  /** Shows what is made for a mark while the mark is pointed at or has the focus. */
  readonly explain: (mark: HTMLElement, make: () => readonly Node[]) => void
}

/** The one tip of a page. Escape closes it, and it can be pointed at itself. */
export function createTip(page: Document): Tip {
  const tip = element('div', { id: 'tip', role: 'tooltip', class: 'tip', hidden: '' })
  page.body.append(tip)
  let shown: HTMLElement | null = null
  const hide = (): void => {
    shown?.removeAttribute('aria-describedby')
    shown = null
    tip.hidden = true
  }
  const show = (mark: HTMLElement, make: () => readonly Node[]): void => {
    if (shown === mark) return
    hide()
    shown = mark
    tip.replaceChildren(...make())
    tip.hidden = false
    mark.setAttribute('aria-describedby', tip.id)
    place(tip, mark)
  }
  page.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide()
  })
  page.addEventListener('pointerover', ({ target }) => {
    if (target instanceof Node && (tip.contains(target) || (shown?.contains(target) ?? true))) return
    if (shown !== page.activeElement) hide()
  })
  return {
    explain: (mark, make) => {
      mark.addEventListener('pointerenter', () => show(mark, make))
      mark.addEventListener('focus', () => show(mark, make))
      mark.addEventListener('blur', () => {
        if (shown === mark) hide()
      })
    },
  }
}

/** Below the first line of the mark, within the window. */
function place(tip: HTMLElement, mark: HTMLElement): void {
  const [first] = mark.getClientRects()
  if (first === undefined) return
  const width = document.documentElement.clientWidth
  tip.style.left = '0'
  tip.style.top = `${first.bottom + window.scrollY + 2}px`
  tip.style.left = `${Math.max(4, Math.min(first.left, width - tip.offsetWidth - 4)) + window.scrollX}px`
}

/** Makes elements one stop of the Tab key: arrows, Home and End lead from one to the other. */
export function arrowKeys(elements: readonly HTMLElement[], onMove: (index: number) => void = () => undefined): void {
  const [first] = elements
  if (first !== undefined && elements.every(({ tabIndex }) => tabIndex !== 0)) first.tabIndex = 0
  for (const [index, each] of elements.entries())
    each.addEventListener('keydown', (event) => {
      const to = target(event.key, { index, count: elements.length })
      const next = to === null ? undefined : elements[to]
      if (to === null || next === undefined) return
      event.preventDefault()
      for (const other of elements) if (other.tabIndex === 0) other.tabIndex = -1
      next.tabIndex = 0
      next.focus()
      onMove(to)
    })
}

function target(key: string, { index, count }: { readonly index: number; readonly count: number }): number | null {
  switch (key) {
    case 'ArrowRight':
    case 'ArrowDown':
      return Math.min(index + 1, count - 1)
    case 'ArrowLeft':
    case 'ArrowUp':
      return Math.max(index - 1, 0)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

/** Tools and conversation, which several sides use. */
export function requestFields(prefix: string, change: (change: Partial<PlaygroundState>) => void): Panel {
  const tools = field({
    id: `${prefix}-tools`,
    label: say('Tools (JSON5)', '工具（JSON5）'),
    rows: 10,
    onText: (text) => change({ tools: text }),
  })
  const conversation = field({
    id: `${prefix}-conversation`,
    label: say('Conversation (JSON5)', '对话（JSON5）'),
    rows: 10,
    onText: (text) => change({ conversation: text }),
  })
  const hint = say(
    'A list of messages, or an object with "messages" and options of the format, such as "add_generation_prompt".',
    '消息列表，或包含 "messages" 以及格式选项（如 "add_generation_prompt"）的对象。',
  )
  conversation.view.append(element('p', { class: 'quiet hint' }, [hint]))
  return {
    view: element('div', { class: 'sides' }, [tools.view, conversation.view]),
    update: (state) => {
      tools.set(state.tools)
      conversation.set(state.conversation)
    },
  }
}

/** The fault and the field that has it. */
export function wrongView({
  where,
  message,
}: {
  readonly where: 'tools' | 'conversation'
  readonly message: string
}): HTMLElement {
  const name = where === 'tools' ? say('Tools: ', '工具：') : say('Conversation: ', '对话：')
  return element('p', { class: 'bad', role: 'status' }, [name, message])
}
