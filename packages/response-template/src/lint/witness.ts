import type { Pattern } from '../regex/pattern.ts'
import { compilePattern } from '../regex/pattern.ts'
import { RegexError } from '../regex/regex-cursor.ts'
import { isSameResult } from '../roundtrip/round-trip.ts'
import { readReply, streamReply } from '../template/read-reply.ts'
import type { ReadResult } from '../template/read-reply.ts'
import type { ResponseTemplate, TemplateField } from '../template/response-template.ts'
import { sampleOfDelimiter, sampleOfPattern, wantedAhead } from './sample.ts'
import type { SampleSize } from './sample.ts'

/** A reply that shows a fault. */
export interface Witness {
  readonly text: string
  /** The pieces in which it arrives; null for a whole reply. */
  readonly chunks: readonly string[] | null
  readonly result: ReadResult
  /** What another reading gives, that should be the same: the whole reply, or the last but one reply. */
  readonly other: ReadResult | null
}

const JSON_CALL = '{"name": "f", "arguments": {"x": 1}}'

/** The pattern of tags of a field, or null if it has none that can be used. */
export function tagPatternOf(field: TemplateField): Pattern | null {
  const source = field.contentArguments.get('tag_pattern')
  if (typeof source !== 'string') return null
  try {
    return compilePattern(source)
  } catch (error) {
    if (error instanceof RegexError) return null
    throw error
  }
}

/** A text that a field could hold. */
export function contentSample(
  field: TemplateField,
  size: SampleSize = 'short',
  groups: Readonly<Record<string, string>> = {},
): string {
  switch (field.content) {
    case 'text':
      return 'a'
    case 'int':
    case 'float':
      return '1'
    case 'bool':
      return 'true'
    case 'json':
      return field.transform?.isForEach === true ? `[${JSON_CALL}]` : JSON_CALL
    case 'kv-lines':
      return 'a: 1'
    case 'xml-inline': {
      const pattern = tagPatternOf(field)
      return pattern === null ? '' : (sampleOfPattern(pattern, size, { key: 'x', value: '1', ...groups }) ?? '')
    }
  }
}

/** Opener, content and closer of a field. */
export interface RegionSample {
  readonly open: string
  readonly body: string
  readonly close: string
}

/** A region of a field as a model would write it; null if its delimiters cannot be written. */
export function regionSample(
  field: TemplateField,
  size: SampleSize = 'short',
  given: { readonly groups?: Readonly<Record<string, string>>; readonly body?: string } = {},
): RegionSample | null {
  const groups = { name: 'f', ...given.groups }
  const open = field.open === null ? '' : sampleOfDelimiter(field.open, size, groups)
  const close = field.close === null ? '' : sampleOfDelimiter(field.close, size)
  if (open === null || close === null) return null
  return { open, body: given.body ?? contentSample(field, size), close }
}

/** The texts of a region in a row. */
export function regionText({ open, body, close }: RegionSample): string {
  return open + body + close
}

/** What a whole reply gives, with no prompt. */
export function readWhole(template: ResponseTemplate, text: string): ReadResult {
  return readReply(template, text, { prefix: '' })
}

/** A witness of a whole reply. */
export function wholeWitness(template: ResponseTemplate, text: string): Witness {
  return { text, chunks: null, result: readWhole(template, text), other: null }
}

/** Replies with every field, texts around them, with and without optional parts. */
export function witnessTexts(template: ResponseTemplate): readonly string[] {
  const sizes: readonly SampleSize[] = ['short', 'full']
  const regions = sizes.flatMap((size) =>
    template.fields.flatMap((field) => {
      const region = regionSample(field, size)
      return region === null ? [] : [regionText(region)]
    }),
  )
  const ahead = template.fields.flatMap(({ open, close }) =>
    [open, close].flatMap((side) => (side?.kind === 'pattern' ? [`a${wantedAhead(side.pattern.parsed.root)}`] : [])),
  )
  const closers = template.fields.flatMap((field) =>
    field.open === null ? [`one\ntwo${regionSample(field)?.close ?? ''}`] : [],
  )
  return [
    ...closers,
    ...regions.map((region) => `one\n${region}two`),
    regions.join(''),
    ...regions,
    ...ahead,
    'one\ntwo',
  ]
}

/** A reply whose stream, cut in two or in single characters, gives another message than the whole; null if none of `texts` does. */
export function streamWitness(template: ResponseTemplate, texts: readonly string[]): Witness | null {
  for (const text of texts) {
    const whole = readWhole(template, text)
    const cuts = Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => [
      text.slice(0, at + 1),
      text.slice(at + 1),
    ])
    for (const chunks of [...cuts, Array.from(text)]) {
      const stream = streamReply(template, { prefix: '' })
      for (const chunk of chunks) stream.feed(chunk)
      const { result } = stream.end()
      if (!isSameResult(result, whole)) return { text, chunks, result, other: whole }
    }
  }
  return null
}
