import type { OpenEpisode } from './unpack.ts'
import type { TurnData, EpisodeData, EpisodeIndex } from '../../src/evaluation/page-data.ts'
import { element, say, textView } from '../dom.ts'
import { blameLine, labelName } from './names.ts'
import { namedRow } from './address.ts'
import { ISSUE_NAMES } from '../../src/evaluation/chinese.ts'

/** An episode as a conversation: what was asked, what came back as it was read, what tools gave, and who is to blame. */
export function conversation(at: number, { data, texts }: OpenEpisode, index: EpisodeIndex): HTMLElement {
  const { model, protocol, task, sample, end, isSolved } = namedRow(at, index)
  const names = [task, model, protocol]
  return element('article', { class: 'conversation', 'aria-label': names.join(' ') }, [
    element('h3', { tabindex: '-1' }, [`${names.join(' · ')} · seed ${sample}`]),
    element('p', {}, [
      element('strong', { class: isSolved ? 'good' : 'bad', title: end }, [
        isSolved ? '✓ ' : '✗ ',
        labelName(end, index.names.ends),
      ]),
      ...data.reasons.flatMap(({ en, zh }, at) => [at === 0 ? ' — ' : '; ', say(en, zh)]),
      data.error !== null && ` — ${data.error}`,
    ]),
    blameLine(data.blame, index),
    earlierView(data.earlier ?? [], texts),
    element('div', { class: 'question' }, [
      element('p', { class: 'role' }, [say('user', '用户')]),
      textView(texts[data.question] ?? ''),
    ]),
    ...data.turns.map((turn, number) => turnView(turn, number, { data, texts }, index)),
  ])
}

/** The conversation that the task begins with, folded: nothing in it is counted. */
function earlierView(messages: NonNullable<EpisodeData['earlier']>, texts: readonly string[]): HTMLElement | null {
  if (messages.length === 0) return null
  const { length } = messages
  return element('details', { class: 'earlier' }, [
    element('summary', {}, [
      say(`${length} earlier ${length === 1 ? 'message' : 'messages'} of the task`, `任务中更早的 ${length} 条消息`),
    ]),
    ...messages.map(([role, text]) => messageElement([role, texts[text] ?? ''], 'old')),
  ])
}

function turnView(turn: TurnData, number: number, episode: OpenEpisode, index: EpisodeIndex): HTMLElement {
  const { texts } = episode
  const text = texts[turn.text] ?? ''
  const parts = turn.spans.map(([kind, start, end]) => ({ kind: index.kinds[kind] ?? 'text', start, end }))
  const isOnceFaulty = turn.blame !== null && turn.blame.join(' ') !== episode.data.blame?.join(' ')
  return element('section', { class: 'turn' }, [
    element('h4', {}, [
      say(`Reply ${number + 1}: `, `回复 ${number + 1}：`),
      element('span', { title: turn.strict }, [labelName(turn.strict, index.names.turns)]),
      turn.lenient !== turn.strict && ' → ',
      turn.lenient !== turn.strict && labelName(turn.lenient, index.names.turns),
      turn.notes.length > 0 &&
        element(
          'span',
          { class: 'quiet' },
          turn.notes.flatMap(({ en, zh }, at) => [at === 0 ? ' ' : ', ', say(en, zh)]),
        ),
    ]),
    isOnceFaulty ? blameLine(turn.blame, index) : null,
    turn.failure === null ? null : element('p', { class: 'bad' }, [turn.failure]),
    ...parsedReply(turn, texts, index),
    element('details', { class: 'raw' }, [
      element('summary', {}, [say('The reply as it came', '原始回复')]),
      textView(text, parts),
      issueList(turn, text),
      timeLine(turn.chunks),
      element('p', { class: 'quiet facts', lang: 'en-GB' }, [turn.facts.join(' · ')]),
    ]),
    promptView(turn, number, episode),
  ])
}

type ShownCall = TurnData['calls'][number]

/** A parsed reply: thinking, texts, and each call with its result, which appears nowhere else. */
export function parsedReply(turn: TurnData, texts: readonly string[], { kinds }: EpisodeIndex): readonly HTMLElement[] {
  const text = texts[turn.text] ?? ''
  const calls = [...turn.calls]
  const reasoning = turn.reasoning === null ? '' : (texts[turn.reasoning] ?? '')
  const parts = turn.spans.flatMap(([kind, start, end]) =>
    partView(kinds[kind] ?? 'text', text.slice(start, end), calls, texts),
  )
  // Calls that the server read have no place in the text.
  const left = calls.map((call) => callView(call, texts))
  const unmade = turn.toolCalls
    .slice(turn.calls.length)
    .map(([name, args]) => said(say(`call of ${name}, not made`, `未执行的调用：${name}`), texts[args] ?? ''))
  const thought = reasoning === '' ? [] : [said(say('thinking, sent separately', '单独返回的思考'), reasoning)]
  return [...thought, ...parts, ...left, ...unmade]
}

function partView(kind: string, text: string, calls: ShownCall[], texts: readonly string[]): readonly HTMLElement[] {
  if (text.trim() === '') return []
  if (kind === 'call') {
    const call = calls.shift()
    return [call === undefined ? said(say('a call, not made', '未执行的调用'), text, kind) : callView(call, texts)]
  }
  return [said(KIND_NAMES[kind]?.() ?? null, text.trim(), kind)]
}

const KIND_NAMES: Readonly<Record<string, () => DocumentFragment>> = {
  thinking: () => say('thinking', '思考'),
  result: () => say('a result that the model made up', '模型编造的结果'),
  leaked: () => say('a mark that belongs nowhere', '多余的标记'),
  dropped: () => say('dropped by the parser', '被解析器丢弃'),
}

function said(title: DocumentFragment | null, text: string, kind = 'text'): HTMLElement {
  return element('div', { class: `said said-${kind}` }, [
    title === null ? null : element('p', { class: 'quiet' }, [title]),
    textView(text),
  ])
}

function callView([name, args, result, isError]: ShownCall, texts: readonly string[]): HTMLElement {
  return element('div', { class: 'call' }, [
    element('p', {}, [element('strong', {}, [name]), ' ', element('code', {}, [texts[args] ?? ''])]),
    element('p', { class: isError ? 'bad' : 'quiet' }, [isError ? say('failed', '失败') : say('answered', '返回')]),
    textView(texts[result] ?? ''),
  ])
}

/** So much of the place that an issue is about is quoted, in UTF-16 units. */
const LONGEST_QUOTE = 80

/** The issues of a reply: each with its name, its place and the text at this place. */
export function issueList({ issues }: Pick<TurnData, 'issues'>, text: string): HTMLElement | null {
  if (issues.length === 0) return null
  return element(
    'ul',
    { class: 'issues' },
    issues.map(([code, said, start, end]) =>
      element('li', {}, [
        element('strong', { title: code }, [labelName(code, ISSUE_NAMES)]),
        ` ${start}–${end} `,
        element('q', {}, [textView(text.slice(start, Math.min(end, start + LONGEST_QUOTE))).textContent]),
        // The sentence is English, and the name says it in Chinese; a format of a user has codes without a name.
        Object.hasOwn(ISSUE_NAMES, code) ? say(` ${sentenceIn(said, start, end)}`, '') : ` ${said}`,
      ]),
    ),
  )
}

/** The part of a message after its place, which the page shows in another way. */
function sentenceIn(message: string, start: number, end: number): string {
  const place = end > start ? `at ${start}–${end}: ` : `at ${start}: `
  const at = message.lastIndexOf(place)
  return at < 0 ? message : message.slice(at + place.length)
}

type ShownMessage = readonly [role: string, text: string]

/** The request, folded, because the conversation already contains its content. It is parsed when it is opened. */
export function promptView(turn: TurnData, number: number, { data, texts }: OpenEpisode): HTMLElement {
  const view = element('details', { class: 'prompt' }, [
    element('summary', {}, [
      number === 0 ? say('The prompt', '提示词') : say('What was new in the prompt', '提示词中新增的部分'),
    ]),
  ])
  const fill = (): void => {
    const before = promptBefore(data, number, turn, texts)
    if (before.length > 0)
      view.append(
        element('details', {}, [
          element('summary', {}, [say('what had been sent before', '之前已发送的部分')]),
          ...before.map((each) => messageElement(each, 'old')),
        ]),
      )
    view.append(...turn.added.map(([role, text]) => messageElement([role, texts[text] ?? ''], 'new')))
  }
  view.addEventListener('toggle', fill, { once: true })
  return view
}

function messageElement([role, text]: ShownMessage, age: 'new' | 'old'): HTMLElement {
  return element('div', { class: `message ${age}` }, [element('p', { class: 'role' }, [role]), textView(text)])
}

/** The messages that were kept, put together from the turns before; of a raw prompt its first units. */
function promptBefore(
  { turns }: EpisodeData,
  number: number,
  { kept, isRaw }: TurnData,
  texts: readonly string[],
): readonly ShownMessage[] {
  let messages: ShownMessage[] = []
  for (const turn of turns.slice(0, number)) {
    const added = turn.added.map(([role, text]) => [role, texts[text] ?? ''] as const)
    if (turn.isRaw) messages = [['prompt', (messages[0]?.[1] ?? '').slice(0, turn.kept) + (added[0]?.[1] ?? '')]]
    else messages = [...messages.slice(0, turn.kept), ...added]
  }
  if (isRaw) return kept === 0 ? [] : [['prompt', (messages[0]?.[1] ?? '').slice(0, kept)]]
  return messages.slice(0, kept)
}

/** When how much of a streamed reply came, as a line of dots; a table of the same for those who cannot see it. */
export function timeLine(chunks: readonly (readonly [number, number])[]): HTMLElement | null {
  const last = chunks.at(-1)
  if (last === undefined || chunks.length < 2) return null
  const [total, units] = last
  const line = element('span', {
    class: 'time-line',
    role: 'img',
    'aria-label': `${chunks.length} chunks, ${total} ms`,
  })
  for (const [ms, at] of chunks) {
    const dot = element('span', { class: 'dot', title: `${ms} ms: ${at} / ${units}` })
    dot.style.left = `${total === 0 ? 0 : (100 * ms) / total}%`
    line.append(dot)
  }
  const rows = chunks.map(([ms, at]) =>
    element('tr', {}, [element('td', {}, [String(ms)]), element('td', {}, [String(at)])]),
  )
  const head = element('tr', {}, [
    element('th', { scope: 'col' }, ['ms']),
    element('th', { scope: 'col' }, [say('characters so far', '累计字符')]),
  ])
  return element('details', { class: 'chunks' }, [
    element('summary', {}, [
      say(`${chunks.length} chunks in ${total} ms `, `${chunks.length} 个分块，${total} 毫秒 `),
      line,
    ]),
    element('table', {}, [head, ...rows]),
  ])
}
