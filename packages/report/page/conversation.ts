import type { EpisodeData, TurnData } from '../src/evaluation/episode-data.ts'
import type { PageData } from './data.ts'
import { element, say } from './dom.ts'
import { textView } from './text-view.ts'
import { timeLine } from './time-line.ts'

/** An episode as a conversation: what was new in each prompt, what came back part by part, what was called. */
export function conversation(episode: EpisodeData, data: PageData): HTMLElement {
  const { model, protocol, task, sample, end, success, reasons, error } = episode
  return element('article', { class: 'conversation', 'aria-label': `${task} ${protocol}` }, [
    element('h3', { tabindex: '-1' }, [`${task} · ${model} · ${protocol} · seed ${sample}`]),
    element('p', {}, [
      element('span', { class: success ? 'good' : 'bad' }, [success ? '✓ ' : '✗ ', end]),
      reasons.length > 0 && ` — ${reasons.join('; ')}`,
      error !== null && ` — ${error}`,
    ]),
    ...episode.turns.map((turn, index) => turnView(turn, index, episode, data)),
  ])
}

function turnView(turn: TurnData, index: number, episode: EpisodeData, data: PageData): HTMLElement {
  const text = data.texts[turn.text] ?? ''
  const parts = turn.spans.map(([kind, start, end]) => ({ kind: data.kinds[kind] ?? 'text', start, end }))
  return element('section', { class: 'turn' }, [
    element('h4', {}, [
      say(`Turn ${index} `, `第 ${index} 轮 `),
      element('code', {}, [turn.strict === turn.lenient ? turn.strict : `${turn.strict} → ${turn.lenient}`]),
      turn.notes.length > 0 && element('span', { class: 'quiet' }, [` ${turn.notes.join(', ')}`]),
    ]),
    promptView(turn, index, episode, data),
    turn.reasoning === null
      ? null
      : element('div', { class: 'said' }, [
          element('p', { class: 'quiet' }, [say('reasoning beside the text', '单独返回的思考')]),
          textView(data.texts[turn.reasoning] ?? ''),
        ]),
    turn.failure === null
      ? element('div', { class: 'said' }, [textView(text, parts)])
      : element('p', { class: 'bad' }, [turn.failure]),
    ...turn.toolCalls.map(([name, args]) =>
      element('div', { class: 'said' }, [element('p', {}, [`tool_calls: ${name}`]), textView(data.texts[args] ?? '')]),
    ),
    issueList(turn, text),
    ...turn.calls.map(([name, args, result, isError]) =>
      element('div', { class: 'call' }, [
        element('p', {}, [element('span', { class: isError ? 'bad' : 'good' }, [isError ? '✗ ' : '→ ']), name]),
        textView(data.texts[args] ?? ''),
        element('p', { class: 'quiet' }, [say('answered', '返回')]),
        textView(data.texts[result] ?? ''),
      ]),
    ),
    timeLine(turn.chunks),
    element('p', { class: 'quiet facts' }, [turn.facts.join(' · ')]),
  ])
}

/** What was sent: the part that was sent before is folded, the new one stands open and marked. */
function promptView(turn: TurnData, index: number, episode: EpisodeData, data: PageData): HTMLElement {
  const before = promptBefore(episode, index, turn, data)
  const added = turn.added.map(([role, text]) => message(role, data.texts[text] ?? '', 'new'))
  const open: Readonly<Record<string, string>> = index > 0 ? { open: '' } : {}
  return element('details', { class: 'prompt', ...open }, [
    element('summary', {}, [
      index === 0 ? say('The prompt', '提示词') : say('What was new in the prompt', '提示词中新增的部分'),
    ]),
    before.length > 0 &&
      element('details', {}, [
        element('summary', {}, [say('what had been sent before', '之前已发送的部分')]),
        ...before.map(([role, text]) => message(role, text, 'old')),
      ]),
    ...added,
  ])
}

function message(role: string, text: string, age: 'new' | 'old'): HTMLElement {
  return element('div', { class: `message ${age}` }, [element('p', { class: 'role' }, [role]), textView(text)])
}

/** The messages that were kept, put together from the turns before; of a raw prompt its first units. */
function promptBefore(
  episode: EpisodeData,
  index: number,
  { kept, isRaw }: TurnData,
  data: PageData,
): readonly (readonly [string, string])[] {
  let messages: (readonly [string, string])[] = []
  for (const turn of episode.turns.slice(0, index)) {
    const added = turn.added.map(([role, text]) => [role, data.texts[text] ?? ''] as const)
    if (turn.isRaw) messages = [['prompt', (messages[0]?.[1] ?? '').slice(0, turn.kept) + (added[0]?.[1] ?? '')]]
    else messages = [...messages.slice(0, turn.kept), ...added]
  }
  if (isRaw) return kept === 0 ? [] : [['prompt', (messages[0]?.[1] ?? '').slice(0, kept)]]
  return messages.slice(0, kept)
}

function issueList({ issues }: TurnData, text: string): HTMLElement | null {
  if (issues.length === 0) return null
  return element(
    'ul',
    { class: 'issues' },
    issues.map(([code, said, start, end]) =>
      element('li', {}, [
        element('code', {}, [code]),
        ` ${start}–${end}: ${said} `,
        element('q', {}, [textView(text.slice(start, Math.min(end, start + 80))).textContent]),
      ]),
    ),
  )
}
