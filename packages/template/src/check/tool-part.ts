import type { Rendering } from '../rendering.ts'

/**
 * What a template makes of a part of a tool: `rendered` as it is, `dropped` without a trace, `changed` in spelling or in part, or `refused`
 * together with the whole conversation.
 */
export type ToolPartFate = 'rendered' | 'dropped' | 'changed' | 'refused'

/** A fate and what it is based on, on one line; may quote the prompt. */
export interface ToolPartResult {
  readonly fate: ToolPartFate
  readonly evidence: string
}

/** One tool in a prompt, with the part and without it. */
export interface ToolPart {
  readonly whole: Rendering
  /** The same tool without the part; null if the part cannot be left out, such as a name. */
  readonly without: Rendering | null
  /** The values of the part, of which all have to be in the prompt: texts and numbers as JSON has them, without quotes. */
  readonly values: readonly string[]
}

/** Compares two prompts of a tool. Linear in the prompts for each value. */
export function toolPartFate({ whole, without, values }: ToolPart): ToolPartResult {
  if (whole.kind === 'raised') return { fate: 'refused', evidence: whole.error.message }
  const base = without?.kind === 'rendered' ? without.text : null
  if (base !== null && base === whole.text) return { fate: 'dropped', evidence: 'the prompt is the same without it' }
  const lost = values.filter((value) => !isShown(value, whole.text, base ?? ''))
  if (lost.length === 0) return { fate: 'rendered', evidence: '' }
  if (base === null && !values.some((value) => hasTrace(value, whole.text)))
    return { fate: 'dropped', evidence: `the prompt has no trace of ${quoted(lost[0] ?? '')}` }
  const written = base === null ? '' : `, but ${quoted(differing(whole.text, base))}`
  return { fate: 'changed', evidence: `the prompt does not have ${quoted(lost[0] ?? '')}${written}` }
}

/** Whether the value is in the prompt more often than without the part, in one of the spellings that JSON allows. */
function isShown(value: string, prompt: string, base: string): boolean {
  const json = JSON.stringify(value).slice(1, -1)
  const ascii = json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [...new Set([value, json, ascii])].some((spelling) => countOf(spelling, prompt) > countOf(spelling, base))
}

function countOf(part: string, text: string): number {
  if (part === '') return 0
  let count = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1
  return count
}

/** Whether any longer word of the value is there. */
function hasTrace(value: string, prompt: string): boolean {
  const words = value.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 3)
  return words.some((word) => prompt.includes(word))
}

const MAX_SHOWN = 60

/** What the first text has where the two differ. */
function differing(text: string, base: string): string {
  const limit = Math.min(text.length, base.length)
  let start = 0
  while (start < limit && text[start] === base[start]) start += 1
  let end = 0
  while (end < limit - start && text[text.length - 1 - end] === base[base.length - 1 - end]) end += 1
  return text.slice(start, text.length - end)
}

function quoted(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_SHOWN)]
  const cut = characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN - 1).join('')}…` : characters.join('')
  return JSON.stringify(cut)
}
