import { FAULTS, faultNamed } from './inject.ts'
import type { Share } from './model-spec.ts'
import { POLICIES } from './policies.ts'
import type { SimFormat } from './spoken-formats.ts'

/** An unknown word, and the known ones. */
export interface UnknownWord {
  readonly word: string
  readonly known: readonly string[]
}

/** The name of a model is invalid; the message is one line, for its author. */
export class ModelNameError extends Error {
  readonly unknownWord: UnknownWord | null

  constructor(message: string, unknownWord: UnknownWord | null = null) {
    super(message)
    this.unknownWord = unknownWord
  }
}

/** The error for an unknown word: `what` is in the singular, and `begins` precedes the list. */
export function noSuch(what: string, { word, known }: UnknownWord, begins: string): ModelNameError {
  const message = `there is no ${what} ${quotedWord(word)}. ${begins}: ${known.join(', ')}.`
  return new ModelNameError(message, { word, known })
}

/** A text for a message of one line: in quotes, its beginning if it is long. */
export function quotedWord(text: string | undefined): string {
  const given = text ?? ''
  return JSON.stringify(given.length > LONGEST_QUOTED_NAME ? `${given.slice(0, LONGEST_QUOTED_NAME - 1)}…` : given)
}

const LONGEST_QUOTED_NAME = 120

/** The parts of a list in a model's name; a comma in brackets does not part. */
export function parts(list: string): readonly string[] {
  return list.match(/(?:[^,()]|\([^()]*\))+/g) ?? []
}

/** A name, its arguments in brackets, and how much of it: `:rate`, `@rate` or `*count`. */
const SHARE = /^([\w-]+)(?:\(([^()]*)\))?(?:[:@]([^:@*]+)|\*(\d+))?$/

export function readPart(part: string): {
  readonly name: string
  readonly args: readonly string[]
  readonly amount: Share['amount']
} {
  const match = SHARE.exec(part)
  if (match === null)
    throw new ModelNameError(
      `${quotedWord(part)} is no share. Shares look like py_literals:0.12, empty_at(2)@0.1 or F07*3.`,
    )
  const [, name = '', args, rate, count] = match
  return {
    name,
    args: args === undefined ? [] : args.split(',').map((text) => text.trim()),
    amount:
      count === undefined
        ? { kind: 'rate', rate: rate === undefined ? 1 : readRate(name, rate) }
        : { kind: 'count', count: Number(count) },
  }
}

/** A number from 0 to 1. */
export function readRate(name: string, text: string): number {
  const rate = text.trim() === '' ? Number.NaN : Number(text)
  if (rate >= 0 && rate <= 1) return rate
  throw new ModelNameError(`the rate of ${name} is ${quotedWord(text)}; rates go from 0 to 1.`)
}

/** The faults of a list; `all:rate` is shared out among all that a format knows, so it is asked for each format. */
export function readFaults(list: string, format: SimFormat): readonly Share[] {
  return parts(list).flatMap((part): readonly Share[] => {
    const { name, amount } = readPart(part)
    if (name === 'all') {
      const known = [...FAULTS.values()].filter((fault) => fault.expect[format] !== undefined && fault.kind !== 'state')
      const rate = amount.kind === 'rate' ? amount.rate : 0
      return known.map(({ id }) => ({ id, argument: 0, amount: { kind: 'rate', rate: rate / known.length } }))
    }
    const fault = faultNamed(name)
    if (fault === null)
      throw noSuch('fault', { word: name, known: [...FAULTS.values()].map((known) => known.name) }, 'Faults')
    // A fault that a format cannot have takes nothing from the others.
    return fault.expect[format] === undefined ? [] : [{ id: fault.id, argument: 0, amount }]
  })
}

/** The policies of a list; `oracle` is what is left. */
export function readPolicies(list: string): readonly Share[] {
  return parts(list).flatMap((part) => {
    const { name, args, amount } = readPart(part)
    if (name === 'oracle') return []
    const policy = POLICIES.get(name)
    if (policy === undefined) throw noSuch('policy', { word: name, known: ['oracle', ...POLICIES.keys()] }, 'Policies')
    const { argument } = policy
    const given = args[0]
    if (argument === undefined && given !== undefined) throw new ModelNameError(`the policy ${name} takes no number.`)
    const number = given === undefined ? (argument?.byDefault ?? 0) : Number(given)
    if (
      argument !== undefined &&
      !(Number.isInteger(number) && number >= argument.min && number <= argument.max && given !== '')
    )
      throw new ModelNameError(
        `the number of ${name} is ${quotedWord(given)}; it goes from ${argument.min} to ${argument.max}.`,
      )
    return [{ id: name, argument: number, amount }]
  })
}

/** Refuses shares of more than everything. */
export function checkSum(what: string, shares: readonly Share[]): readonly Share[] {
  const sum = shares.reduce((total, { amount }) => total + (amount.kind === 'rate' ? amount.rate : 0), 0)
  if (sum <= 1 + 1e-9) return shares
  throw new ModelNameError(`the rates of ${what} sum up to ${Number(sum.toFixed(6))}; they must not exceed 1.`)
}
