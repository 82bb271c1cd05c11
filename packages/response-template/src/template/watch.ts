import type { CharacterSet } from '../regex/character-set.ts'
import type { Delimiter, ResponseTemplate, TemplateField } from './response-template.ts'

/** A delimiter that counts: the opener of a field, or the closer of the current one. */
export interface Watched {
  readonly field: TemplateField
  readonly isOpener: boolean
  readonly delimiter: Delimiter
}

/** The delimiters that count at a time. */
export interface Watch {
  readonly delimiters: readonly Watched[]
  /** How much of the beginning of a text certainly has no delimiter and begins none, in UTF-16 units; -1 if it must be searched. */
  clearLength(text: string): number
}

/** What counts outside of explicit regions, and in each of them. */
export interface Watches {
  readonly outside: Watch
  readonly inside: ReadonlyMap<TemplateField, Watch>
}

const known = new WeakMap<ResponseTemplate, Watches>()

/** What counts where, by the fields of a template; made once for each template. */
export function watchesOf(template: ResponseTemplate, implicit: TemplateField | null): Watches {
  const watches = known.get(template) ?? newWatches(template, implicit)
  known.set(template, watches)
  return watches
}

function newWatches({ fields }: ResponseTemplate, implicit: TemplateField | null): Watches {
  const openers = fields.flatMap((field) =>
    field.open === null ? [] : [{ field, isOpener: true, delimiter: field.open }],
  )
  return {
    outside: watchOf([...openers, ...closerOf(implicit)]),
    inside: new Map(fields.map((field) => [field, watchOf(closerOf(field))] as const)),
  }
}

function closerOf(field: TemplateField | null): readonly Watched[] {
  return field === null || field.close === null ? [] : [{ field, isOpener: false, delimiter: field.close }]
}

/** How a delimiter begins: a character of `set`, after any number of characters of `run`. */
interface Beginning {
  readonly run: CharacterSet | null
  readonly set: Pick<CharacterSet, 'has'>
}

const ASCII = 128

function watchOf(delimiters: readonly Watched[]): Watch {
  const beginnings = delimiters.map(({ delimiter }) => beginningOf(delimiter))
  const certain = beginnings.filter((beginning) => beginning !== null)
  if (certain.length < beginnings.length) return { delimiters, clearLength: () => -1 }
  const has = (code: number): boolean => certain.some(({ set }) => set.has(code))
  const ascii = Uint8Array.from({ length: ASCII }, (_, code) => (has(code) ? 1 : 0))
  const runs = [...new Set(certain.flatMap(({ run }) => (run === null ? [] : [run])))]
  const clearLength = (text: string): number => {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit < ASCII ? ascii[unit] === 1 : isSurrogate(unit) || has(unit)) return -1
    }
    let clear = text.length
    for (const run of runs) {
      let at = text.length
      while (at > 0 && run.has(text.charCodeAt(at - 1))) at--
      if (at < clear) clear = at
    }
    return clear
  }
  return { delimiters, clearLength }
}

/** Null for a delimiter that may match nothing or begin with anything. */
function beginningOf(delimiter: Delimiter): Beginning | null {
  if (delimiter.kind === 'literals') return { run: null, set: firstUnits(delimiter.literals) }
  const { lead, first } = delimiter.pattern.program
  if (lead !== null) return { run: lead.set, set: firstUnits(lead.texts) }
  return first === null ? null : { run: null, set: first }
}

function firstUnits(texts: readonly string[]): Pick<CharacterSet, 'has'> {
  const units = new Set(texts.map((text) => text.charCodeAt(0)))
  return { has: (unit) => units.has(unit) }
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800
}
