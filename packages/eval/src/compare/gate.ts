import { plural } from '../text/text.ts'
import { shortened } from '../text/excerpt.ts'
import { formatId, recordedNameOf } from '../trace/format-names.ts'
import type { FigureName, TimeName, Times } from '../metrics/figures.ts'
import { FIGURE_NAMES, FIGURES, TIME_NAMES } from '../metrics/figures.ts'
import type { Better, RateName } from '../metrics/rates.ts'
import { RATE_NAMES, RATES, figureName } from '../metrics/rates.ts'
import type { SummaryRow } from '../summary/row.ts'

/** A condition that a run has to meet. */
export type Gate =
  /** A figure of every row, or of those of one format, is at least or at most `value`. */
  | {
      readonly kind: 'bound'
      readonly metric: Metric
      readonly bound: 'min' | 'max'
      readonly value: number
      readonly format: string | null
    }
  /** Every task of every row is solved at least `passed` times, of `of` tries. */
  | { readonly kind: 'tasks'; readonly passed: number; readonly of: number | null }
  /** No more than this share of the episodes failed on the way to the server; otherwise nothing is known. */
  | { readonly kind: 'infra'; readonly maxRate: number }
  /** Not a single episode failed on the way to the server. */
  | { readonly kind: 'no-errors' }

/** A gate as it was written, or the mistake in it. */
export type ReadGate =
  /** `note`: what to write instead of an older name; null where none is used. */
  | { readonly kind: 'read'; readonly gate: Gate; readonly note: string | null }
  /** `name`: what is unknown, and among which names; null where it is something else. */
  | {
      readonly kind: 'mistake'
      readonly message: string
      readonly unknown: { readonly name: string; readonly known: readonly string[] } | null
    }

/**
 * Reads `metric=x`, or `format:metric=x` for one format; `x` is a number or per cent: `parse_rate=0.95`,
 * `native:success=80%`.
 */
export function readBound(text: string, bound: 'min' | 'max', formats: readonly string[]): ReadGate {
  const match = /^(?:([\w.-]+):)?([\w^@]+)=(-?\d+(?:\.\d+)?)(%?)$/.exec(text.trim())
  if (match === null)
    return mistake(
      `--${bound} "${shortened(text)}" is no gate. Write METRIC=X, such as parse_rate=0.95 or native:success=80%.`,
    )
  const [, given, name = '', number = '', percent] = match
  const format = given === undefined || formats.includes(given) ? given : (recordedNameOf(given) ?? given)
  if (format !== undefined && !formats.includes(format))
    return mistake(`--${bound} "${shortened(text)}": format "${format}" is not among those of the run.`, {
      name: format,
      known: formats.map(formatId),
    })
  const metric = metricNamed(name)
  if (metric === null)
    return mistake(`--${bound} "${shortened(text)}": metric "${name}" is unknown.`, { name, known: METRIC_NAMES })
  if (metric.better !== (bound === 'min' ? 'higher' : 'lower')) {
    const other = bound === 'min' ? 'max' : 'min'
    return mistake(
      `--${bound} "${shortened(text)}": ${name} is better when it is ${metric.better}. Use --${other} ${name}=X.`,
    )
  }
  const value = Number(number) / (percent === '%' ? 100 : 1)
  const note = olderNames(text, [
    [name, metric.name],
    [given ?? '', given === undefined ? '' : formatId(given)],
  ])
  return { kind: 'read', note, gate: { kind: 'bound', metric, bound, value, format: format ?? null } }
}

/** One line that names the new names; null where only these are used. */
function olderNames(text: string, names: readonly (readonly [given: string, now: string])[]): string | null {
  const older = names.filter(([given, now]) => given !== now)
  if (older.length === 0) return null
  const news = older.map(([given, now]) => `${given} is now called ${now}`).join(', and ')
  return `the gate ${shortened(text)} is read, but ${news}: write the new name, the next version knows no other`
}

/** Reads `2` or `2/3`: so many of the tries of every task must pass. */
export function readTaskGate(text: string): ReadGate {
  const match = /^(\d{1,4})(?:\/(\d{1,4}))?$/.exec(text.trim())
  const [passed, of] = [Number(match?.[1]), match?.[2] === undefined ? null : Number(match[2])]
  if (match === null || passed === 0 || (of !== null && of < passed))
    return mistake(`"${shortened(text)}" says of no task how often it must pass. Write K or K/N, such as 2/3.`)
  return { kind: 'read', note: null, gate: { kind: 'tasks', passed, of } }
}

function mistake(
  message: string,
  unknown: { readonly name: string; readonly known: readonly string[] } | null = null,
): ReadGate {
  return { kind: 'mistake', message, unknown }
}

/** A figure of a row that a gate can ask for. */
export interface Metric {
  readonly name: string
  readonly about: string
  readonly better: Better
  /**
   * Null where there was nothing to count. `of`: how many it is a share of, where it is one; `without`: what is left out of
   * them, in words.
   */
  readonly read: (
    row: SummaryRow,
    times: Times,
  ) => { readonly value: number; readonly of: number | null; readonly without?: string } | null
}

/** What `metricNamed` knows; `pass^k` and `pass@k` mean every k. */
export const METRIC_NAMES: readonly string[] = [
  ...RATE_NAMES.map(figureName),
  ...FIGURE_NAMES,
  ...TIME_NAMES,
  'pass^k',
  'pass@k',
]

/** The metric of a name, such as `parse_rate`, `calls_per_success`, `pass^3`; null for none. */
export function metricNamed(name: string): Metric | null {
  const rate = RATE_NAMES.find((each) => each === name || figureName(each) === name)
  if (rate !== undefined) return rateMetric(rate)
  if (isFigure(name)) return figureMetric(name)
  const match = /^pass([\^@])([1-9]\d{0,3})$/.exec(name)
  return match === null ? null : passMetric(name, { kind: match[1] === '^' ? 'all' : 'any', k: Number(match[2]) })
}

function isFigure(name: string): name is FigureName | TimeName {
  return Object.hasOwn(FIGURES, name)
}

function rateMetric(name: RateName): Metric {
  const { about, better } = RATES[name]
  return {
    ...{ name: figureName(name), about, better },
    read: ({ rates }) => {
      const { rate, of } = rates[name]
      return rate === null ? null : { value: rate, of }
    },
  }
}

function figureMetric(name: FigureName | TimeName): Metric {
  const { about, better } = FIGURES[name]
  return {
    ...{ name, about, better },
    read: ({ figures }, times) => {
      const value = { ...figures, ...times }[name]
      return value === null ? null : { value, of: null }
    },
  }
}

function passMetric(name: string, { kind, k }: { readonly kind: 'all' | 'any'; readonly k: number }): Metric {
  return {
    name,
    about: `how likely ${kind === 'all' ? 'all' : 'at least one'} of ${k} tries of a task pass, mean over tasks`,
    better: 'higher',
    read: ({ passAt }) => {
      const found = passAt.find((each) => each.k === k)
      if (found === undefined) return null
      const others = found.leftOut ?? 0
      const without = others === 0 ? '' : `, ${plural(others, 'task')} tried otherwise left out`
      return { value: found[kind], of: found.tasks, without: ` tasks${without}` }
    },
  }
}
