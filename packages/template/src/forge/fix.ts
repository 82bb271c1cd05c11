import { MARK } from '../lint/probe.ts'
import type { Form, Probe } from '../lint/probe.ts'
import { createSubject } from '../lint/subject.ts'
import type { LintedTemplate } from '../lint/subject.ts'
import { ATTACKS, FORGED_WORDS, PLACES, PLACE_TEXTS } from './attacks.ts'
import type { FixEdit, Forgery, ForgeryFix, PlaceForgery } from './forgery.ts'
import { tryAttack, withRenderer } from './forge.ts'
import type { NamedValue } from './values-in-source.ts'
import { replaceValues, valuesInSource } from './values-in-source.ts'

/** The text of the ordinary conversation. */
export const ORDINARY_TEXT = 'Open today.'

/** Tries the fix for a result's text, or for any other attack by a message. */
export function fixResult(
  template: LintedTemplate,
  form: Form,
  { attack, text }: { readonly attack: Forgery['attack']; readonly text: string },
): ForgeryFix {
  const found = ATTACKS.find(({ name }) => name === attack)
  if (found === undefined) return { kind: 'not-found' }
  return tryFix(template, {
    carrier: (given) => found.carrier(form, given),
    further: [found.real(form)],
    texts: [],
    text,
    isForged: (render) => withRenderer(render, (ask) => tryAttack(found, form, ask)).outcome === 'forged',
  })
}

/** The same for a description, a name or an argument. */
export function fixPlace(
  template: LintedTemplate,
  form: Form,
  { place, carrier, text }: Pick<PlaceForgery, 'place' | 'carrier' | 'text'>,
): ForgeryFix {
  const used = PLACES[place][carrier]
  if (used === undefined) return { kind: 'not-found' }
  return tryFix(template, {
    carrier: (given) => used(form, given),
    further: [],
    texts: PLACE_TEXTS,
    text,
    isForged: (render) => {
      const again = render(used(form, text))
      return again.kind === 'rendered' && again.text.includes(text)
    },
  })
}

interface FixTrial {
  /** The conversation with this text in the place. */
  carrier(text: string): Probe
  /** Further conversations that have the marks in the place. */
  readonly further: readonly Probe[]
  /** Other texts that the template prints in the same way; they may be quoted as well. */
  readonly texts: readonly string[]
  /** The forged text. */
  readonly text: string
  isForged(render: Render): boolean
}

type Render = ReturnType<typeof createSubject>['render']

function tryFix(template: LintedTemplate, trial: FixTrial): ForgeryFix {
  const render = createSubject(template).render
  const quoted = render(trial.carrier(`${MARK.left}"${MARK.right}`))
  if (quoted.kind === 'rendered' && quoted.text.includes(`"${MARK.left}\\"${MARK.right}"`))
    return { kind: 'already-json' }
  const fixed = quoteValues(template, trial)
  if (fixed === null) return { kind: 'not-found' }
  const renderFixed = createSubject({ ...template, source: fixed.source }).render
  const ordinary = trial.carrier(ORDINARY_TEXT)
  const [before, after] = [render(ordinary), renderFixed(ordinary)]
  if (before.kind !== 'rendered' || after.kind !== 'rendered') return { kind: 'not-found' }
  const outcome = doMarksRemain(trial.text) ? 'marks-remain' : trial.isForged(renderFixed) ? 'still-forged' : 'gone'
  return { kind: 'tried', edits: fixed.edits, outcome, before: before.text, after: after.text }
}

/** Whether JSON leaves the marks between the text and the first forged words as they are. */
function doMarksRemain(text: string): boolean {
  const after = text.slice(MARK.left.length)
  const ends = FORGED_WORDS.map((words) => after.indexOf(words)).filter((at) => at >= 0)
  const marks = after.slice(0, Math.min(after.length, ...ends)).trim()
  return marks !== '' && JSON.stringify(marks) === `"${marks}"`
}

interface Quoted {
  readonly source: string
  readonly edits: readonly FixEdit[]
}

/** How often values further along the way from the message to the prompt are looked for. */
const MAX_LAYERS = 5

/**
 * The template with `| tojson` at values that are printed as the marks, so that they are in quotation marks in every
 * prompt, and nothing else changes. Null if there are no such values.
 */
function quoteValues(template: LintedTemplate, { carrier, further, texts }: FixTrial): Quoted | null {
  const values = valuesInSource(template.source)
  const probes = [carrier(MARK.left), ...further]
  const originals = probes.map((probe) => promptOf(template, template.source, probe))
  const isQuoted = (source: string): boolean =>
    probes.every((probe, index) => {
      const [before, after] = [originals[index] ?? null, promptOf(template, source, probe)]
      return before !== null && after !== null && isQuotedVersion(before, { after, texts })
    })
  const used = new Set<NamedValue>()
  let roles: readonly string[] = []
  let best: Quoted | null = null
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const carrying = carryingValues(template, { values: values.filter((value) => !used.has(value)), probes })
    if (carrying.length === 0) break
    carrying.forEach((value) => used.add(value))
    roles = [...new Set([...roles, ...carrying.flatMap(({ text }) => rolesOf(text))])]
    const candidates = ['', ...roles].map((role) => quotedAt(template.source, carrying, role))
    // The last value before the prompt is the one that a reader of the template expects to be changed.
    best = candidates.find(({ source }) => isQuoted(source)) ?? best
  }
  return best
}

function promptOf(template: LintedTemplate, source: string, probe: Probe): string | null {
  const rendered = createSubject({ ...template, source }).render(probe)
  return rendered.kind === 'rendered' ? rendered.text : null
}

const MARKS = [MARK.left, MARK.right]

/** Whether every mark is in quotation marks, and no other text but perhaps those of `texts` has changed. */
function isQuotedVersion(
  before: string,
  { after, texts }: { readonly after: string; readonly texts: readonly string[] },
): boolean {
  const unquoted = (text: string): string =>
    [...MARKS, ...texts].reduce((all, each) => all.replaceAll(`"${each}"`, () => each), text)
  const areQuoted = MARKS.every((mark) => after.split(mark).length === after.split(`"${mark}"`).length)
  return areQuoted && before !== after && unquoted(before) === unquoted(after)
}

/** The source with these values quoted; with a role only in messages of tools. */
function quotedAt(source: string, values: readonly NamedValue[], role: string): Quoted {
  const edits = values.map((value) => {
    const condition = role === '' ? '' : ` if ${role} in ['tool', 'ipython', 'function'] else ${value.text}`
    return { value, by: `(${value.text} | tojson${condition})` }
  })
  return {
    source: replaceValues(source, edits),
    edits: edits.map(({ value, by }) => ({ line: value.line, before: value.text, after: by })),
  }
}

/** `message.content` → `message['role']`. */
function rolesOf(text: string): readonly string[] {
  const root = /^([^]*?)(?:\.content|\[['"]content['"]\])$/.exec(text)
  return root === null ? [] : [`${root[1]}['role']`]
}

/** The values that are first, on the way to the prompt, to equal a mark: each is replaced by a word of its own. */
function carryingValues(
  template: LintedTemplate,
  { values, probes }: { readonly values: readonly NamedValue[]; readonly probes: readonly Probe[] },
): readonly NamedValue[] {
  const source = replaceValues(
    template.source,
    values.map((value, index) => ({
      value,
      by: `('QZ${index}QZ' if ${MARKS.map((mark) => `${value.text} == '${mark}'`).join(' or ')} else ${value.text})`,
    })),
  )
  const seen = new Set<number>()
  for (const probe of probes) {
    const text = promptOf(template, source, probe) ?? ''
    for (const [, index] of text.matchAll(/QZ(\d{1,6})QZ/g)) seen.add(Number(index))
  }
  return values.filter((_, index) => seen.has(index))
}
