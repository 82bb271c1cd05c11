import { element } from '@callspec/report/page'

/** A list to choose from. */
export interface Choice {
  readonly view: HTMLElement
  /** Offers values, each by its name. What is chosen stays if it is among them. */
  readonly offer: (values: readonly (readonly [value: string, name: string])[], chosen: string) => void
}

/** A select with its label. */
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

/** A box to tick. */
export interface Tick {
  readonly view: HTMLElement
  readonly set: (isTicked: boolean) => void
}

/** A checkbox with its label. */
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
