import type { EpisodeIndex } from '../../src/evaluation/episode-index.ts'
import { button, element, say } from '../dom.ts'
import { EVERYTHING, episodeAddress, listAddress, readAddress } from './address.ts'
import type { Filter } from './address.ts'
import { createBlocks } from './blocks.ts'
import { createControls } from './controls.ts'
import { createFinder } from './finder.ts'
import { createList } from './list.ts'
import { createStage } from './stage.ts'

/** The list of episodes with its filters, and the conversation of the chosen one. Cells and addresses lead here. */
export function startViewer(page: Document, host: HTMLElement, index: EpisodeIndex): void {
  const view = page.defaultView
  if (view === null) return
  const blocks = createBlocks(page, index)
  const list = createList(index)
  const stage = createStage(index, blocks)
  const finder = createFinder({ index, blocks, onFound: list.show })
  const hasFailed = index.rows.some(([, , , , , success]) => success === 0)
  let filter: Filter = { ...EVERYTHING, outcome: hasFailed ? 'failed' : '' }
  const show = (episode: number, beside: number | null): void => {
    list.mark(episode)
    stage.show(episode, beside)
  }
  const controls = createControls(index, {
    onChange: (change) => {
      filter = { ...filter, ...change }
      view.history.replaceState(null, '', listAddress(filter))
      finder.find(filter)
    },
    onSearch: () => finder.searchTexts(filter),
  })
  const follow = (): void => {
    const address = readAddress(view.location.hash, index)
    if (address === null) return
    host.scrollIntoView()
    if (address.kind === 'episode') return show(address.episode, address.beside)
    filter = address.filter
    controls.show(filter)
    finder.find(filter)
    // Whoever is sent the address sees what its sender found.
    if (filter.words !== '') finder.searchTexts(filter)
    const [first] = finder.found()
    if (first === undefined) stage.clear()
    else show(first, null)
  }
  const step = (by: 1 | -1): void => {
    const found = finder.found()
    const next = found[found.indexOf(stage.shown()) + by]
    if (next !== undefined) view.location.hash = episodeAddress(next, null, index)
  }
  host.append(
    controls.form,
    element('div', { class: 'panes' }, [list.element, element('div', {}, [stepButtons(step), stage.element])]),
  )
  listenToKeys(page, step)
  view.addEventListener('hashchange', follow)
  controls.show(filter)
  finder.find(filter)
  follow()
}

type Step = (by: 1 | -1) => void

function stepButtons(step: Step): HTMLElement {
  return element('p', { class: 'no-print' }, [
    button(say('← previous (k)', '← 上一个 (k)'), () => step(-1)),
    ' ',
    button(say('next (j) →', '下一个 (j) →'), () => step(1)),
  ])
}

function listenToKeys(page: Document, step: Step): void {
  page.addEventListener('keydown', ({ ctrlKey, metaKey, altKey, target, key }) => {
    if (ctrlKey || metaKey || altKey || isTyping(target)) return
    if (key === 'j') step(1)
    if (key === 'k') step(-1)
  })
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement
}
