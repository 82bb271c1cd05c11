import { outsideBlocks } from '../reading/visible-text.ts'
import type { FormatReader } from '../formats/eval-format.ts'

/** With these a model ends its turn; a server takes them off. */
export const END_MARKS: readonly string[] = [
  '<|im_end|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<｜end▁of▁sentence｜>',
]

/** The text without the end marks behind it, however many; the text itself where there are none. */
export function withoutEndMarks(text: string): string {
  let body = text
  for (;;) {
    const trimmed = body.trimEnd()
    const mark = END_MARKS.find((each) => trimmed.endsWith(each))
    if (mark === undefined) return body
    body = trimmed.slice(0, -mark.length)
  }
}

/** Control tokens of chat templates; they belong into no text and no argument. */
const SPECIALS = [
  '<|im_end|>',
  '<|im_start|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|start_header_id|>',
  '<|end_header_id|>',
  '<｜end▁of▁sentence｜>',
] as const

/** Tags of roles, which belong into no text either; inside an argument they are some markup. */
const ROLE_TAGS = ['</assistant>', '<|assistant|>', '<|user|>', '<|system|>', '[/INST]'] as const

/** The text without a bare stop word at its end. */
export function withoutKeptStopWord({ stopWords }: FormatReader, text: string): string {
  const body = text.trimEnd()
  const word = stopWords.find((stop) => body.endsWith(stop))
  return word === undefined ? text : body.slice(0, -word.length)
}

/** Whether a control mark stands where none belongs. */
export function leaksMarker(
  reader: FormatReader,
  text: string,
  { stopWordsSent }: { readonly stopWordsSent: boolean },
): boolean {
  if (text.includes('<') && SPECIALS.some((mark) => text.includes(mark))) return true
  // Nobody but the model can have written a bare stop word that the server was not told to stop at.
  if (!stopWordsSent && withoutKeptStopWord(reader, text) !== text) return true
  const marks = [...reader.hostMarks, ...ROLE_TAGS].filter((mark) => text.includes(mark))
  if (marks.length === 0) return false
  const outside = outsideBlocks(reader.blocks(text), text)
  return marks.some((mark) => outside.includes(mark))
}

/** The text without the marks that `leaksMarker` looks for. */
export function withoutLeaks(reader: FormatReader, text: string): string {
  const clean = withoutKeptStopWord(reader, without(SPECIALS, text))
  const marks = [...reader.hostMarks, ...ROLE_TAGS]
  const kept: string[] = []
  let at = 0
  for (const block of reader.blocks(clean)) {
    kept.push(without(marks, clean.slice(at, block.start)), clean.slice(block.start, block.end))
    at = block.end
  }
  kept.push(without(marks, clean.slice(at)))
  return kept.join('')
}

function without(marks: readonly string[], text: string): string {
  return marks.reduce((clean, mark) => clean.replaceAll(mark, () => ''), text)
}

/** Every mark that must not come from a model, outside its calls. */
export function controlMarks({ hostMarks }: FormatReader): readonly string[] {
  return [...SPECIALS, ...hostMarks, ...ROLE_TAGS]
}
