import type { Protocol } from '../protocol.ts'
import { strictBlocks } from './read-calls.ts'

/** Control tokens of chat templates; they belong into no text and no argument. */
const SPECIALS = ['<|im_end|>', '<|im_start|>', '<|endoftext|>'] as const

/** What a host writes round a result or after it; outside a call it must not come from a model. */
const HOST_MARKS: Readonly<Record<Protocol, readonly string[]>> = {
  'fncall-nous': ['</tool_call>', '<tool_response>', '</tool_response>'],
  'fncall-qwen': ['✿RESULT✿', '✿RETURN✿'],
  react: [],
}

const STOP_WORDS: Readonly<Record<Protocol, readonly string[]>> = {
  'fncall-nous': [],
  'fncall-qwen': ['✿RESULT✿:', '✿RESULT✿', '✿RETURN✿:', '✿RETURN✿'],
  react: ['Observation:'],
}

/** The text without a bare stop word at its end: some servers leave it there, which is not the model's doing. */
export function withoutKeptStopWord(protocol: Protocol, text: string): string {
  const body = text.trimEnd()
  const word = STOP_WORDS[protocol].find((stop) => body.endsWith(stop))
  return word === undefined ? text : body.slice(0, -word.length)
}

/** Whether the model wrote a result itself: the host's mark with something behind it. */
export function inventsResult(protocol: Protocol, text: string): boolean {
  if (protocol === 'react') return /(?:^|\n)[ \t]*Observation:\s*\S/.test(text)
  if (protocol === 'fncall-qwen') return /✿RESULT✿:?\s*[^\s✿]/.test(text)
  return /<tool_response>\s*[^\s<]/.test(outsideCalls(protocol, text))
}

/** Whether a control mark stands where none belongs. */
export function leaksMarker(protocol: Protocol, text: string): boolean {
  if (SPECIALS.some((mark) => text.includes(mark))) return true
  const outside = outsideCalls(protocol, text)
  return HOST_MARKS[protocol].some((mark) => outside.includes(mark))
}

/** The text without the marks that `leaksMarker` looks for. */
export function withoutLeaks(protocol: Protocol, text: string): string {
  let clean = text
  for (const mark of SPECIALS) clean = clean.replaceAll(mark, () => '')
  const blocks = strictBlocks(protocol, clean)
  const kept: string[] = []
  let at = 0
  for (const block of blocks) {
    kept.push(withoutHostMarks(protocol, clean.slice(at, block.start)), clean.slice(block.start, block.end))
    at = block.end
  }
  kept.push(withoutHostMarks(protocol, clean.slice(at)))
  return kept.join('')
}

/** The text between and around the calls. */
export function outsideCalls(protocol: Protocol, text: string): string {
  const kept: string[] = []
  let at = 0
  for (const block of strictBlocks(protocol, text)) {
    kept.push(text.slice(at, block.start))
    at = Math.max(at, block.end)
  }
  return [...kept, text.slice(at)].join('\n')
}

function withoutHostMarks(protocol: Protocol, text: string): string {
  let clean = text
  for (const mark of HOST_MARKS[protocol]) clean = clean.replaceAll(mark, () => '')
  return clean
}
