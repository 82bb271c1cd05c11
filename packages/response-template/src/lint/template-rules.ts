import { isList, pyCompare } from '@callspec/python'
import type { Delimiter, ResponseTemplate, TemplateField } from '../template/response-template.ts'
import { readReply } from '../template/read-reply.ts'
import { lengthsOf } from '../regex/shape.ts'
import type { RegexNode } from '../regex/node.ts'
import type { Sighting } from './field-rules.ts'
import type { ResponseRuleId } from './rules.ts'
import { hasBoundary, hasDollarAlternative, hasOptionalTail, innerAlternative, innerText } from './pattern-facts.ts'
import { sampleOfDelimiter, wantedAhead } from './sample.ts'
import {
  contentSample,
  readWhole,
  regionSample,
  regionText,
  streamWitness,
  wholeWitness,
  witnessTexts,
} from './witness.ts'
import type { Witness } from './witness.ts'

/** What is wrong between fields, and in streams, found without a chat template. */
export function checkTemplate(template: ResponseTemplate): readonly Sighting[] {
  return [
    ...neverReturns(template),
    ...overwritten(template),
    ...deadFields(template),
    ...stopsInClosers(template),
    ...streams(template),
    ...sharedDefaults(template),
  ]
}

function seen(rule: ResponseRuleId, field: string | null, detail: string, witness: Witness | null): Sighting {
  return { rule, field, detail, witness }
}

/** Openers and closers that can both match nothing, with a reply where they do. */
function neverReturns(template: ResponseTemplate): readonly Sighting[] {
  return template.fields.flatMap(({ name, open, close }) => {
    if (!isEmptyPossible(open) || !isEmptyPossible(close)) return []
    const ahead = [open, close].map((side) => (side?.kind === 'pattern' ? wantedAhead(side.pattern.parsed.root) : ''))
    const texts = ['a', '', 'a<b>', ...ahead.map((text) => `a${text}`), ahead.join('')]
    const witness = texts
      .map((text) => wholeWitness(template, text))
      .find(({ result }) => result.kind === 'raised' && result.fault.kind === 'never-returns')
    return witness === undefined ? [] : [seen('never-returns', name, 'The reader loops at this reply.', witness)]
  })
}

function isEmptyPossible(delimiter: Delimiter | null): boolean {
  return delimiter?.kind === 'pattern' && lengthsOf(delimiter.pattern.parsed.root).min === 0
}

/** The implicit field, which every opener and its own closer close. */
function overwritten(template: ResponseTemplate): readonly Sighting[] {
  const implicit = template.fields.find(({ open }) => open === null)
  if (implicit === undefined || implicit.isRepeated) return []
  const found: Sighting[] = []
  const other = template.fields.find(({ open }) => open !== null)
  const region = other === undefined ? null : regionSample(other)
  const end = implicit.close === null ? null : sampleOfDelimiter(implicit.close, 'short')
  if (other !== undefined || end !== null) {
    const between = region === null ? (end ?? '') : regionText(region)
    found.push(
      seen(
        'text-overwritten',
        implicit.name,
        'Of two texts only the second stays.',
        wholeWitness(template, `Let me see.${between}Done.`),
      ),
    )
  }
  if (end !== null && implicit.content === 'text') {
    const [before, behind] = [readWhole(template, `Noon.${end}`), wholeWitness(template, `Noon.${end}\n`)]
    const isKept =
      behind.result.kind === 'read' &&
      before.kind === 'read' &&
      behind.result.message.get(implicit.name) === before.message.get(implicit.name)
    if (!isKept)
      found.push(
        seen('overwritten-by-space', implicit.name, 'The line feed after the closer empties the field.', {
          ...behind,
          other: before,
        }),
      )
  }
  return found
}

function deadFields(template: ResponseTemplate): readonly Sighting[] {
  const winners = new Map<string, string>()
  for (const { name, open } of template.fields) {
    const key = open === null ? null : openerKey(open)
    const before = key === null ? undefined : winners.get(key)
    if (key !== null && (before === undefined || pyCompare(name, before) < 0)) winners.set(key, name)
  }
  return template.fields.flatMap((field) => {
    const winner = field.open === null ? undefined : winners.get(openerKey(field.open))
    if (winner === undefined || winner === field.name) return []
    const region = regionSample(field)
    const witness = region === null ? null : wholeWitness(template, regionText(region))
    return [seen('dead-field', field.name, `The field ${winner} has the same opener.`, witness)]
  })
}

function openerKey(delimiter: Delimiter): string {
  if (delimiter.kind === 'literals') return JSON.stringify(delimiter.literals)
  const { root } = delimiter.pattern.parsed
  return root.kind === 'text' ? JSON.stringify([root.text]) : `/${delimiter.pattern.source}`
}

/** Closers that end with the closer of another field: its stop token, which servers drop. */
function stopsInClosers(template: ResponseTemplate): readonly Sighting[] {
  const stops = template.fields.flatMap((field) => (field.open === null ? closersOf(field) : []))
  return template.fields.flatMap((field) => {
    if (field.content === 'text' || field.open === null) return []
    const [closer = ''] = closersOf(field)
    const stop = stops.find((text) => text !== '' && closer !== text && closer.endsWith(text))
    const region = regionSample(field)
    if (stop === undefined || region === null) return []
    const text = region.open + contentSample(field) + closer.slice(0, -stop.length)
    return [
      seen('stop-in-closer', field.name, `Without ${stop} the region does not end.`, wholeWitness(template, text)),
    ]
  })
}

/** Texts that close a field, without the white space at their ends. */
function closersOf({ close }: TemplateField): readonly string[] {
  if (close === null) return []
  if (close.kind === 'literals') return close.literals
  const sample = sampleOfDelimiter(close, 'short')
  return sample === null ? [] : [sample]
}

interface StreamRule {
  readonly rule: ResponseRuleId
  readonly detail: string
  readonly isIn: (root: RegexNode) => boolean
}

const STREAM_RULES: readonly StreamRule[] = [
  { rule: 'stream-dollar', detail: '$ is an alternative in', isIn: hasDollarAlternative },
  { rule: 'stream-tail', detail: 'The end is optional in', isIn: hasOptionalTail },
  { rule: 'stream-boundary', detail: 'A word boundary is in', isIn: hasBoundary },
  {
    rule: 'stream-alternatives',
    detail: 'One alternative is inside of another one in',
    isIn: (root) => innerAlternative(root) !== null,
  },
]

/** Patterns that can read a stream otherwise, with a stream that they do. */
function streams(template: ResponseTemplate): readonly Sighting[] {
  const found: Sighting[] = []
  for (const { name, open, close } of template.fields) {
    for (const side of [open, close]) {
      if (side === null) continue
      for (const { rule, detail } of rulesOf(side)) {
        if (found.some((other) => other.rule === rule)) continue
        const witness = streamWitness(template, [...ownTexts(side), ...witnessTexts(template)])
        const source = side.kind === 'pattern' ? side.pattern.source : side.literals.join(', ')
        if (witness !== null) found.push(seen(rule, name, `${detail} ${source}.`, witness))
      }
    }
  }
  return found
}

function rulesOf(side: Delimiter): readonly StreamRule[] {
  if (side.kind === 'pattern') return STREAM_RULES.filter(({ isIn }) => isIn(side.pattern.parsed.root))
  return innerText(side.literals) === null ? [] : STREAM_RULES.filter(({ rule }) => rule === 'stream-alternatives')
}

function ownTexts(side: Delimiter): readonly string[] {
  const pair = side.kind === 'pattern' ? innerAlternative(side.pattern.parsed.root) : innerText(side.literals)
  return pair === null ? [] : [`${pair[0]}e;`, `a${pair[0]};`]
}

/** Replies that are read one after the other: the list of the template itself grows. */
function sharedDefaults(template: ResponseTemplate): readonly Sighting[] {
  return template.fields.flatMap((field) => {
    const list = template.defaults.get(field.name) ?? null
    if (!isList(list) || !field.isRepeated || field.join !== null) return []
    const region = regionSample(field)
    if (region === null) return []
    const text = regionText(region)
    const own = { ...template, defaults: new Map([...template.defaults, [field.name, [...list]] as const]) }
    const first = readReply(own, text, { prefix: '' })
    readReply(own, text, { prefix: '', hasSharedDefaults: true })
    const second = readReply(own, text, { prefix: '', hasSharedDefaults: true })
    return [
      seen('shared-default', field.name, 'The second of two replies has the calls of the first one, too.', {
        text,
        chunks: null,
        result: second,
        other: first,
      }),
    ]
  })
}
