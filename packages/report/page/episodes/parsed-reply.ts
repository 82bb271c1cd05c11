import type { TurnData } from '../../src/evaluation/episode-data.ts'
import type { EpisodeIndex } from '../../src/evaluation/episode-index.ts'
import { element, say } from '../dom.ts'
import { textView } from '../text-view.ts'

type Call = TurnData['calls'][number]

/** A reply as it was read: thinking, texts, and each call with its result, which stands nowhere else. */
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
  const thought = reasoning === '' ? [] : [said(say('thinking, beside the text', '单独返回的思考'), reasoning)]
  return [...thought, ...parts, ...left, ...unmade]
}

function partView(kind: string, text: string, calls: Call[], texts: readonly string[]): readonly HTMLElement[] {
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

function callView([name, args, result, isError]: Call, texts: readonly string[]): HTMLElement {
  return element('div', { class: 'call' }, [
    element('p', {}, [element('strong', {}, [name]), ' ', element('code', {}, [texts[args] ?? ''])]),
    element('p', { class: isError ? 'bad' : 'quiet' }, [isError ? say('failed', '失败') : say('answered', '返回')]),
    textView(texts[result] ?? ''),
  ])
}
