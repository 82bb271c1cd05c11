import { element } from '@callspec/report/page'

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
