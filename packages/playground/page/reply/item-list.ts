import type { Reply, ReplyItem } from '@callspec/core'
import { element, say } from '@callspec/report/page'
import { kindOf, shortened } from '../parts/words.ts'

/** So many items are listed, and so much of each is shown, in UTF-16 units. */
const [MOST_ITEMS, MOST_TEXT] = [200, 2000]

/** What a reply says, item by item; or what the reference raises on it. */
export function itemList({ items, error }: Reply): HTMLElement {
  const raised =
    error === null
      ? null
      : element('p', { class: 'bad' }, [say('rejected: ', '拒绝：'), `${error.type}: ${error.message}`])
  const rest = items.length - MOST_ITEMS
  return element('div', {}, [
    raised,
    items.length === 0 && error === null
      ? element('p', { class: 'quiet' }, [say('Nothing was read.', '没有读到内容。')])
      : null,
    element('ol', { class: 'items' }, items.slice(0, MOST_ITEMS).map(itemView)),
    rest > 0 ? element('p', { class: 'quiet' }, [say(`${rest} more`, `另有 ${rest} 项`)]) : null,
  ])
}

function itemView(item: ReplyItem): HTMLElement {
  return element('li', { class: `item look-${lookOf(item)}` }, [
    element('p', { class: 'kind' }, [kindOf(item), ...headOf(item)]),
    element('pre', { class: 'bytes show-space' }, withLineEnds(shortened(bodyOf(item), MOST_TEXT))),
  ])
}

/** Versions differ in line ends more often than in anything else, so these are drawn. */
function withLineEnds(text: string): readonly (HTMLElement | string)[] {
  const [first = '', ...rest] = text.split('\n')
  return [first, ...rest.flatMap((line) => [element('span', { class: 'ws-end' }), '\n', line])]
}

/** A class of the style. */
export function lookOf(item: ReplyItem): string {
  return item.kind === 'issue' ? item.weight : item.kind
}

function headOf(item: ReplyItem): readonly (HTMLElement | string)[] {
  if (item.kind === 'issue') return [' ', element('code', {}, [item.code]), ` ${item.start}–${item.end}`]
  if (item.kind !== 'call') return item.channel === undefined ? [] : [' ', element('code', {}, [item.channel])]
  const name = element('code', {}, [shortened(item.name, MOST_TEXT)])
  return item.id === null ? [' ', name] : [' ', name, ` id ${shortened(item.id, MOST_TEXT)}`]
}

function bodyOf(item: ReplyItem): string {
  if (item.kind === 'issue') return item.message
  return item.kind === 'call' ? item.arguments : item.text
}
