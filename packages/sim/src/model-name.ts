import type { Faults, Mode, ModelSpec, PairedOutcome } from './model-spec.ts'
import { PRESETS } from './model-spec.ts'
import { POLICIES } from './policies.ts'
import type { SimFormat } from './spoken-formats.ts'
import { isSpokenFormat, simFormatNames } from './spoken-formats.ts'
import type { UnknownWord } from './shares.ts'
import {
  checkSum,
  ModelNameError,
  noSuch,
  parts,
  quotedWord,
  readFaults,
  readPart,
  readPolicies,
  readRate,
} from './shares.ts'
import type { Transport, TransportRule } from './transport.ts'
import { argumentProblem, isFailure, TRANSPORT_RULES } from './transport.ts'

/** The model that a name describes, or why it describes none. */
export type ReadName = { readonly kind: 'model'; readonly spec: ModelSpec } | NoModel<'unknown'> | NoModel<'invalid'>

interface NoModel<Kind> {
  readonly kind: Kind
  readonly message: string
  /** The word that may be misspelt, and the known words. */
  readonly unknownWord: UnknownWord | null
}

const PREFIX = 'sim/'
/** Longer names are refused: reading one must not take long. */
const LONGEST_NAME = 10_000

/**
 * Reads the name of a simulated model: `sim/<what>[?key=value&…]`, where `what` is a preset, `oracle`, or policies with
 * their rates (`repeat_forever@0.08,truncated(1)@0.05`; the rest is `oracle`). Keys:
 *
 * - `fault=py_literals:0.12,F20:0.05`, by name or id; `all:0.5` shares a rate out among all; `F07*3` is three tasks of
 *   every pass (quota only)
 * - `policy=…`, as before the question mark
 * - `protocol.<name>.fault`, `.policy`, `.skill`: for one format only; the name `formats` means all that core
 *   writes
 * - `seed`, `mode=bernoulli|quota|stratified`, `scope=turn|episode`, `noop=skip|escalate`
 * - `skill=0.7` solves a task with this probability; `sigma=1` spreads the tasks' difficulty
 * - `pair=react:0.8,fncall-nous:0.9&rho=0.5`, or in quota mode `pair=react,fncall-nous&both=774&b=168&c=16`
 * - `wins=4,2,0`: how many passes solve the tasks, in turn
 * - `transport=429(2)@0.1,ignore_stop`: see `TRANSPORT_RULES`
 *
 * Rates go from 0 to 1 and sum up to at most 1 within one key. Never throws.
 */
export function readModelName(name: string): ReadName {
  const [front = '', ...queries] = name.slice(0, LONGEST_NAME + 1).split('?')
  if (name.length > LONGEST_NAME) return unknown(name)
  if (!front.startsWith(PREFIX) || front === PREFIX || queries.length > 1) return unknown(name)
  const preset = PRESETS.get(front)
  const [definition = '', presetQuery] = (preset?.definition ?? front.slice(PREFIX.length)).split('?')
  // A name of one word that is neither preset nor policy is reported as an unknown model.
  try {
    const policies = readPolicies(definition)
    const own = pairsOf(queries[0] ?? '')
    const values = new Map([...pairsOf(presetQuery ?? ''), ...own])
    const spec = specOf(values, { policies, isPreset: preset !== undefined })
    return { kind: 'model', spec: { ...spec, identity: identityOf(front, own) } }
  } catch (error) {
    if (!(error instanceof ModelNameError)) throw error
    if (queries.length === 0 && /^[\w./-]*$/.test(definition)) return unknown(name)
    const message = `The model name ${quotedWord(name)} makes no sense: ${error.message}`
    return { kind: 'invalid', message, unknownWord: error.unknownWord }
  }
}

function unknown(name: string): NoModel<'unknown'> {
  const presets = [...PRESETS.keys()]
  const message = `The model ${quotedWord(name)} does not exist. Simulated models: ${presets.join(', ')}; and sim/oracle?fault=py_literals:0.12 and the like.`
  const known = [...presets, ...['oracle', ...POLICIES.keys()].map((policy) => `${PREFIX}${policy}`)]
  return { kind: 'unknown', message, unknownWord: { word: name, known } }
}

type Values = ReadonlyMap<string, string>

function pairsOf(query: string): readonly (readonly [string, string])[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new ModelNameError(`${quotedWord(pair)} is not key=value.`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    })
}

/** The transport changes how a reply arrives, not its content. */
function identityOf(front: string, own: readonly (readonly [string, string])[]): string {
  const said = own.filter(([key]) => key !== 'transport').map(([key, value]) => `${key}=${value}`)
  return said.length === 0 ? front : `${front}?${said.join('&')}`
}

const NAME_PARAMETERS = [
  'fault',
  'policy',
  'seed',
  'mode',
  'scope',
  'noop',
  'skill',
  'sigma',
  'pair',
  'rho',
  'both',
  'b',
  'c',
  'wins',
  'transport',
]
const FORMAT_KEYS = ['fault', 'policy', 'skill']
/** The name for every format that core writes and that is not named itself. */
const FORMATS_TOGETHER = 'formats'

function specOf(
  values: Values,
  { policies, isPreset }: { readonly policies: Faults['policies']; readonly isPreset: boolean },
): Omit<ModelSpec, 'identity'> {
  for (const key of values.keys()) checkKey(key)
  const mode: Mode = chosenValue(values, 'mode', ['bernoulli', 'quota', 'stratified'])
  const byFormat: ModelSpec['byFormat'] = Object.fromEntries(
    simFormatNames().map((format) => [format, faultsOf(values, { format, policies, mode })]),
  )
  const scope = chosenValue(values, 'scope', mode === 'bernoulli' ? ['turn', 'episode'] : ['episode', 'turn'])
  if (mode !== 'bernoulli' && scope === 'turn')
    throw new ModelNameError(`mode=${mode} counts episodes, so scope=turn is not possible.`)
  return {
    isPreset,
    seed: readNumber(values, 'seed', { byDefault: 0, min: 0, isWhole: true }),
    mode,
    scope,
    noop: chosenValue(values, 'noop', ['skip', 'escalate']),
    byFormat,
    sigma: readNumber(values, 'sigma', { byDefault: 0, min: 0 }),
    pair: pairOf(values, mode),
    wins: winsOf(values),
    transport: transportOf(values.get('transport') ?? ''),
  }
}

function checkKey(key: string): void {
  const [, format, inner] = /^protocol\.([\w-]+)\.(\w+)$/.exec(key) ?? []
  if (format === undefined || inner === undefined) {
    if (!NAME_PARAMETERS.includes(key))
      throw noSuch('key', { word: key, known: [...NAME_PARAMETERS, 'protocol.<name>.fault'] }, 'Keys')
  } else if (format !== FORMATS_TOGETHER && !simFormatNames().includes(format))
    throw noSuch('format', { word: format, known: simFormatNames() }, 'Formats')
  else if (!FORMAT_KEYS.includes(inner))
    throw new ModelNameError(`there is no key ${quotedWord(key)}. Of a format there are ${FORMAT_KEYS.join(', ')}.`, {
      word: inner,
      known: FORMAT_KEYS,
    })
}

function faultsOf(
  values: Values,
  {
    format,
    policies,
    mode,
  }: { readonly format: SimFormat; readonly policies: Faults['policies']; readonly mode: Mode },
): Faults {
  const value = (key: string): string | undefined =>
    values.get(`protocol.${format}.${key}`) ??
    (isSpokenFormat(format) ? values.get(`protocol.${FORMATS_TOGETHER}.${key}`) : undefined) ??
    values.get(key)
  const faults = checkSum('fault', readFaults(value('fault') ?? '', format))
  const declared = value('policy')
  const chosen = checkSum('policy', declared === undefined ? policies : [...policies, ...readPolicies(declared)])
  if (mode === 'bernoulli' && [...faults, ...chosen].some(({ amount }) => amount.kind === 'count'))
    throw new ModelNameError('a number of tasks, such as F07*3, needs mode=quota.')
  const skill = value('skill')
  return { faults, policies: chosen, skill: skill === undefined ? null : readRate('skill', skill) }
}

function chosenValue<T extends string>(values: Values, key: string, choices: readonly T[]): T {
  const given = values.get(key)
  const [first] = choices
  const found = given === undefined ? first : choices.find((known) => known === given)
  if (found === undefined) {
    const message = `${key} is ${quotedWord(given)}; it can be ${choices.join(', ')}.`
    throw new ModelNameError(message, { word: given ?? '', known: choices })
  }
  return found
}

function readNumber(
  values: Values,
  key: string,
  { byDefault, min, isWhole = false }: { readonly byDefault: number; readonly min: number; readonly isWhole?: boolean },
): number {
  const given = values.get(key)
  if (given === undefined) return byDefault
  const value = given.trim() === '' ? Number.NaN : Number(given)
  if (value >= min && Number.isFinite(value) && (!isWhole || Number.isSafeInteger(value))) return value
  throw new ModelNameError(
    `${key} is ${quotedWord(given)}; it must be ${isWhole ? 'a whole number' : 'a number'} of at least ${min}.`,
  )
}

function pairOf(values: Values, mode: Mode): PairedOutcome | null {
  const given = values.get('pair')
  if (given === undefined) return null
  const read = parts(given).map((part) => ({ ...readPart(part), isRated: /[:@]/.test(part) }))
  const formats = read.map(({ name }) => simFormatNames().find((known) => known === name))
  const [first, second] = formats
  if (first === undefined || second === undefined || first === second || formats.length !== 2)
    throw new ModelNameError(`pair is ${quotedWord(given)}; it needs two of ${simFormatNames().join(', ')}.`)
  if (mode === 'bernoulli') {
    const rates = read.map(({ amount }) => (amount.kind === 'rate' ? amount.rate : 1))
    return {
      kind: 'drawn',
      skills: { [first]: rates[0] ?? 1, [second]: rates[1] ?? 1 },
      rho: readRate('rho', values.get('rho') ?? '0'),
    }
  }
  const count = (key: string): number => readNumber(values, key, { byDefault: 0, min: 0, isWhole: true })
  return { kind: 'fixed', first, second, both: count('both'), onlyFirst: count('b'), onlySecond: count('c') }
}

function winsOf(values: Values): readonly number[] | null {
  const given = values.get('wins')
  if (given === undefined) return null
  const wins = given.split(',').map((text) => (text.trim() === '' ? Number.NaN : Number(text)))
  if (wins.every((win) => Number.isSafeInteger(win) && win >= 0)) return wins
  throw new ModelNameError(`wins is ${quotedWord(given)}; it must be whole numbers, such as 4,2,0.`)
}

function transportOf(list: string): Transport {
  const rules = parts(list).map((part): TransportRule => {
    const { name, args, amount } = readPart(part)
    if (!TRANSPORT_RULES.has(name) || amount.kind !== 'rate')
      throw noSuch('transport', { word: part, known: [...TRANSPORT_RULES.keys()] }, 'Known')
    const rule = { name, arguments: args, rate: amount.rate }
    const wanted = argumentProblem(rule)
    if (wanted !== null) throw new ModelNameError(`${quotedWord(part)} of transport takes ${wanted}.`)
    return rule
  })
  const failures = rules.filter(isFailure).reduce((total, { rate }) => total + rate, 0)
  if (failures <= 1 + 1e-9) return rules
  throw new ModelNameError(
    `the rates of failures of transport sum up to ${Number(failures.toFixed(6))}; they must not exceed 1.`,
  )
}
