import type { EpisodeIndex } from '../../src/evaluation/episode-index.ts'
import { button, element, say } from '../dom.ts'
import { episodeAddress, namedRow } from './address.ts'
import { labelName } from './names.ts'

/** So many more are listed at a time. */
const LISTED = 200

/** The list of the episodes that were found. */
export interface EpisodeList {
  readonly element: HTMLElement
  show(found: readonly number[]): void
  mark(episode: number): void
}

/** A list that grows on demand: a run may have tens of thousands of episodes. */
export function createList(index: EpisodeIndex): EpisodeList {
  const count = element('p', { class: 'quiet', 'aria-live': 'polite', 'data-found': '' })
  const list = element('ol', { class: 'episode-list' })
  const more = button(say('more', '更多'), () => grow())
  let [found, chosen]: [readonly number[], number] = [[], -1]
  const grow = (): void => {
    const from = list.children.length
    list.append(...found.slice(from, from + LISTED).map((episode) => element('li', {}, [entry(episode, index)])))
    more.hidden = list.children.length >= found.length
    mark(chosen)
  }
  const mark = (episode: number): void => {
    chosen = episode
    for (const link of list.querySelectorAll('a'))
      link.setAttribute('aria-current', String(link.dataset['episode'] === String(episode)))
    list.querySelector('a[aria-current="true"]')?.scrollIntoView({ block: 'nearest' })
  }
  return {
    element: element('div', {}, [count, list, more]),
    mark,
    show: (all) => {
      found = all
      const total = index.rows.length
      count.replaceChildren(say(`${all.length} of ${total} episodes`, `${total} 次运行中的 ${all.length} 次`))
      list.replaceChildren()
      grow()
    },
  }
}

function entry(episode: number, index: EpisodeIndex): HTMLAnchorElement {
  const { model, protocol, task, sample, end, isSolved } = namedRow(episode, index)
  const names = index.models.length > 1 ? `${model} ${protocol}` : protocol
  return element('a', { href: episodeAddress(episode, null, index), 'data-episode': String(episode) }, [
    element('span', { class: isSolved ? 'good' : 'bad' }, [isSolved ? '✓ ' : '✗ ']),
    `${task} #${sample} `,
    element('span', { class: 'quiet' }, [`${names} `, labelName(end, index.names.ends)]),
  ])
}
