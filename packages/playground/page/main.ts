import type { Question } from '../src/answer.ts'
import { answerTo } from '../src/answer.ts'
import { button, element, say, startLanguages } from '@callspec/report/page'
import type { Panel as PanelName, PlaygroundState } from '../src/state.ts'
import { EXAMPLE, PANELS, readLink, writeLink } from '../src/state.ts'
import { createAsker } from './asker.ts'
import type { Panel } from './parts.ts'
import { arrowKeys, createTip } from './parts.ts'
import { promptPanel } from './prompt/prompt-panel.ts'
import { replyPanel } from './reply/reply-panel.ts'
import { refuseOtherDrops } from './model/drop-zone.ts'
import { modelPanel } from './model/model-panel.ts'
import { templatePanel } from './template/template-panel.ts'

interface WorkerScope {
  readonly addEventListener: (name: 'message', listener: (event: MessageEvent<Question>) => void) => void
  readonly postMessage: (data: unknown, options: { readonly transfer?: Transferable[] }) => void
}

/** Answers questions for the page, one after the other. */
function startAnswering(scope: WorkerScope): void {
  scope.addEventListener('message', ({ data }) => {
    void Promise.resolve(answerTo(data)).then((answer) => scope.postMessage(answer, {}))
  })
}

/** How long after the last change the state is written into the address, in milliseconds. */
const SETTLED = 300

/** The longest address that browsers accept, in characters. */
const LONGEST_LINK = 1_500_000

/** Makes the page, and shows the state of its address, or an example. */
async function startPage(page: Document, script: string): Promise<void> {
  const host = page.getElementById('playground')
  if (host === null) return
  startLanguages(page)
  refuseOtherDrops(page)
  let state = (await readLink(window.location.hash)) ?? EXAMPLE
  const asker = createAsker(script)
  const change = (part: Partial<PlaygroundState>, isStep = false): void => {
    const before = state
    state = { ...state, ...part }
    update()
    if (isStep) link.step(before, state)
    else link.keep(state)
  }
  const parts = { asker, tip: createTip(page), change }
  const panels: Readonly<Record<PanelName, Panel>> = {
    reply: replyPanel(parts),
    prompt: promptPanel(parts),
    template: templatePanel(parts),
    model: modelPanel(parts),
  }
  const tabs = createTabs(panels, (panel) => change({ panel }))
  const link = createLink(() => state)
  const update = (): void => {
    tabs.show(state.panel)
    panels[state.panel].update(state)
  }
  host.replaceChildren(tabs.view, link.view, ...tabs.panes)
  window.addEventListener('hashchange', () => {
    void readLink(window.location.hash).then((linked) => {
      if (linked === null) return
      link.leave()
      state = linked
      update()
    })
  })
  update()
}

const PANEL_NAMES: Readonly<Record<PanelName, () => DocumentFragment>> = {
  reply: () => say('Reply', '回复'),
  prompt: () => say('Prompt', '提示词'),
  template: () => say('Template', '模板'),
  model: () => say('Model', '模型'),
}

interface Tabs {
  readonly view: HTMLElement
  readonly panes: readonly HTMLElement[]
  readonly show: (name: PanelName) => void
}

function createTabs(panels: Readonly<Record<PanelName, Panel>>, onTab: (name: PanelName) => void): Tabs {
  const tabs = PANELS.map((name) =>
    button(PANEL_NAMES[name](), () => onTab(name), {
      role: 'tab',
      id: `tab-${name}`,
      'aria-controls': `pane-${name}`,
      tabindex: '-1',
    }),
  )
  const panes = PANELS.map((name) =>
    element('div', { role: 'tabpanel', id: `pane-${name}`, 'aria-labelledby': `tab-${name}` }, [panels[name].view]),
  )
  arrowKeys(tabs, (index) => onTab(PANELS[index] ?? 'reply'))
  return {
    view: element('div', { role: 'tablist', class: 'tabs' }, tabs),
    panes,
    show: (name) => {
      for (const [index, each] of PANELS.entries()) {
        const [tab, pane] = [tabs[index], panes[index]]
        tab?.setAttribute('aria-selected', String(each === name))
        if (tab !== undefined) tab.tabIndex = each === name ? 0 : -1
        if (pane !== undefined) pane.hidden = each !== name
      }
    },
  }
}

interface Link {
  readonly view: HTMLElement
  /** Writes the state into the address, soon. */
  readonly keep: (state: PlaygroundState) => void
  /** Writes both at once, so that the browser leads back from one to the other. */
  readonly step: (before: PlaygroundState, after: PlaygroundState) => void
  /** The user went to another address: the pending state is not written. */
  readonly leave: () => void
}

function createLink(current: () => PlaygroundState): Link {
  const said = element('span', { class: 'quiet', role: 'status' })
  const copy = button(
    say('Copy link', '复制链接'),
    () => void write(current()).then((isWritten) => isWritten && copied()),
  )
  const copied = (): void => {
    const done = (): void => said.replaceChildren(say('copied', '已复制'))
    const cannot = (): void => said.replaceChildren(say('the address bar has the link', '链接在地址栏中'))
    // If the page is a file, the clipboard may be unavailable.
    const { clipboard } = navigator as { readonly clipboard?: Clipboard }
    if (clipboard === undefined) cannot()
    else clipboard.writeText(window.location.href).then(done, cannot)
  }
  let timer = 0
  const leave = (): void => window.clearTimeout(timer)
  const write = async (state: PlaygroundState, isNew = false): Promise<boolean> => {
    leave()
    const hash = await writeLink(state)
    const isTooLong = hash.length > LONGEST_LINK
    if (!isTooLong) window.history[isNew ? 'pushState' : 'replaceState'](null, '', hash)
    said.replaceChildren(...(isTooLong ? [say('too long for a link', '内容过长，无法生成链接')] : []))
    return !isTooLong
  }
  return {
    view: element('p', { class: 'link' }, [copy, ' ', said]),
    keep: (state) => {
      leave()
      timer = window.setTimeout(() => void write(state), SETTLED)
    },
    step: (before, after) => void write(before).then(() => write(after, true)),
    leave,
  }
}

// The same script runs in the page and in its worker, so that all of the page is one file.
if (typeof document === 'undefined') startAnswering(self)
else void startPage(document, document.currentScript?.textContent ?? '')
