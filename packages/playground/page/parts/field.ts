import { element, say } from '@callspec/report/page'

/** A text to paste. */
export interface Field {
  readonly view: HTMLElement
  /** Shows a text that came from elsewhere. */
  readonly set: (text: string) => void
}

/** What a field is about. */
export interface FieldLook {
  readonly id: string
  readonly label: DocumentFragment
  readonly rows: number
  /** Is told what was typed or pasted, and what was opened, exactly: a text area knows no carriage return. */
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
      // A file that is gone, or may not be read: what was there stays.
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
