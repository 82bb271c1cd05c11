import { element, say } from '@callspec/report/page'
import type { ReplyItem } from '@callspec/core'
import type { EngineVerdict } from '../../src/engines/answers-to.ts'
import type { EngineAnswer, Reason } from '../../src/engines/engine-records.ts'
import { itemList } from '../reply/item-list.ts'

/** What an engine answered to a text; where streams were asked too, which of both. */
export function verdictView(verdict: EngineVerdict, hasStreams: boolean): HTMLElement {
  const { setting } = verdict
  const op = !hasStreams
    ? null
    : setting.op === 'stream'
      ? say(' (as a stream)', '（流式）')
      : say(' (whole)', '（整段）')
  if (verdict.kind === 'alike')
    return element('p', { class: 'verdict-line' }, [
      element('span', { class: 'good' }, ['✓ ']),
      setting.isOpen
        ? say('recorded: reads it in one of the right ways', '已记录：是正确读法之一')
        : say('recorded: reads it so, as strict does', '已记录：读法与 strict 相同'),
      op,
    ])
  const { reason, answer } = verdict
  const said = answer === null ? notKept() : answerView(answer)
  if (reason === null)
    return element('div', {}, [
      element('p', { class: 'verdict-line' }, [
        say('○ recorded: there is no single right answer; it says', '○ 已记录：没有唯一正确的答案；它的回答是'),
        op,
      ]),
      said,
    ])
  return element('div', {}, [
    element('p', { class: 'verdict-line' }, [
      element('span', { class: 'bad' }, ['✗ ']),
      say('recorded: differs', '已记录：不同'),
      op,
    ]),
    reasonView(reason),
    said,
  ])
}

/** What a deviation is, in words, and where it was reported. */
export function reasonView([kind, words, links]: Reason): HTMLElement {
  return element('p', { class: 'reason' }, [
    element('strong', {}, [kindWords(kind)]),
    ' ',
    element('span', { lang: 'en-GB' }, [words]),
    ...links.flatMap((link) => [' ', linkTo(link)]),
  ])
}

function kindWords(kind: string): DocumentFragment {
  return say(kind, KINDS[kind] ?? kind)
}

const KINDS: Readonly<Record<string, string>> = {
  bug: '缺陷',
  policy: '有意为之',
  contested: '有争议',
  'not written by a model': '模型不会这样写',
  unverified: '未核实',
}

/** `ggml-org/llama.cpp/issues/27733` says enough. */
function linkTo(link: string): HTMLElement {
  return element('a', { href: link, rel: 'noreferrer' }, [link.replace(/^https?:\/\/(?:github\.com\/)?/, '')])
}

function notKept(): HTMLElement {
  return element('p', { class: 'quiet' }, [say('What it answered was not kept.', '它的回答没有保存。')])
}

function answerView(answer: EngineAnswer): HTMLElement {
  if ('refused' in answer)
    return element('p', {}, [
      say('The whole reply is an error', '整个回复成为错误'),
      answer.refused === '' ? '.' : element('span', { lang: 'en-GB' }, [`: ${answer.refused}`]),
    ])
  const { reasoning, content, calls } = answer
  const items: readonly ReplyItem[] = [
    ...(reasoning === undefined ? [] : [{ kind: 'reasoning', text: reasoning } as const]),
    ...(content === undefined ? [] : [{ kind: 'text', text: content } as const]),
    ...calls.map(([name, args, id = null]) => ({ kind: 'call', name, arguments: args, id }) as const),
  ]
  return itemList({ items, error: null })
}
