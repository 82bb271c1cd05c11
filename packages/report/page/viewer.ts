import type { EpisodeData } from '../src/evaluation/episode-data.ts'
import { conversation } from './conversation.ts'
import type { PageData } from './data.ts'
import { button, element, say } from './dom.ts'

interface Filter {
  readonly model: string
  readonly protocol: string
  readonly task: string
  readonly failuresOnly: boolean
}

const ALL: Filter = { model: '', protocol: '', task: '', failuresOnly: false }

/** The list of episodes with its filters, and the conversation of the chosen one. Cells of the grid lead here. */
export function startViewer(page: Document, data: PageData): void {
  const host = page.getElementById('viewer')
  if (host === null) return
  let filter: Filter = { ...ALL, failuresOnly: data.episodes.some(({ success }) => !success) }
  const list = element('ol', { class: 'episode-list' })
  const stage = element('div', { class: 'stage', 'aria-live': 'polite' })
  const none = element('p', { class: 'quiet', hidden: '' }, [
    say('No such episode is in this page; turns.jsonl has all of them.', '本页没有这样的运行；turns.jsonl 包含全部。'),
  ])
  const show = (episode: EpisodeData): void => {
    const view = conversation(episode, data)
    stage.replaceChildren(view)
    for (const item of list.querySelectorAll('button'))
      item.setAttribute('aria-pressed', String(item.dataset['episode'] === String(data.episodes.indexOf(episode))))
    view.querySelector('h3')?.focus()
  }
  const refresh = (): void => {
    const found = data.episodes.filter((episode) => fits(episode, filter))
    none.hidden = found.length > 0
    list.replaceChildren(
      ...found.map((episode) =>
        element('li', {}, [entry(episode, data.episodes.indexOf(episode), () => show(episode))]),
      ),
    )
  }
  const narrow = (change: Partial<Filter>): void => {
    filter = { ...filter, ...change }
    refresh()
  }
  host.append(controls(data, filter, narrow), none, element('div', { class: 'panes' }, [list, stage]))
  for (const cell of page.querySelectorAll<HTMLButtonElement>('button[data-show-episodes]'))
    cell.addEventListener('click', () => {
      const [model = '', protocol = '', task = ''] = JSON.parse(
        cell.dataset['showEpisodes'] ?? '[]',
      ) as readonly string[]
      narrow({ model, protocol, task, failuresOnly: false })
      setControls(host, filter)
      host.scrollIntoView()
      const [first] = data.episodes.filter((episode) => fits(episode, filter))
      if (first === undefined) stage.replaceChildren()
      else show(first)
    })
  refresh()
}

function fits({ model, protocol, task, success }: EpisodeData, filter: Filter): boolean {
  return (
    (filter.model === '' || filter.model === model) &&
    (filter.protocol === '' || filter.protocol === protocol) &&
    (filter.task === '' || filter.task === task) &&
    !(filter.failuresOnly && success)
  )
}

function entry(episode: EpisodeData, index: number, onClick: () => void): HTMLButtonElement {
  const { task, sample, model, protocol, end, success } = episode
  const label = element('span', {}, [
    element('span', { class: success ? 'good' : 'bad' }, [success ? '✓ ' : '✗ ']),
    `${task} #${sample} `,
    element('span', { class: 'quiet' }, [`${model} ${protocol} ${end}`]),
  ])
  return button(label, onClick, { 'data-episode': String(index), 'aria-pressed': 'false' })
}

function controls(data: PageData, filter: Filter, narrow: (change: Partial<Filter>) => void): HTMLElement {
  const choice = (name: 'model' | 'protocol' | 'task', en: string, zh: string): HTMLElement => {
    const values = [...new Set(data.episodes.map((episode) => episode[name]))]
    const select = element('select', { 'data-filter': name }, [
      element('option', { value: '' }, ['—']),
      ...values.map((value) => element('option', { value }, [value])),
    ])
    select.addEventListener('change', () => narrow({ [name]: select.value }))
    return element('label', {}, [say(`${en} `, `${zh} `), select])
  }
  const only = element('input', { type: 'checkbox', 'data-filter': 'failures' })
  only.checked = filter.failuresOnly
  only.addEventListener('change', () => narrow({ failuresOnly: only.checked }))
  const space = element('input', { type: 'checkbox' })
  space.addEventListener('change', () => document.body.classList.toggle('show-space', space.checked))
  return element('p', { class: 'controls' }, [
    choice('model', 'model', '模型'),
    choice('protocol', 'format', '格式'),
    choice('task', 'task', '任务'),
    element('label', {}, [only, say(' only failures', ' 仅失败')]),
    element('label', {}, [space, say(' show white space', ' 显示空白')]),
  ])
}

function setControls(host: HTMLElement, filter: Filter): void {
  for (const select of host.querySelectorAll<HTMLSelectElement>('select[data-filter]')) {
    const name = select.dataset['filter']
    if (name === 'model' || name === 'protocol' || name === 'task') select.value = filter[name]
  }
  for (const box of host.querySelectorAll<HTMLInputElement>('input[data-filter]')) box.checked = filter.failuresOnly
}
