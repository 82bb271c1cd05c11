import { readFileSync } from 'node:fs'

/** The built-in suite, whose plans no runner and no scorer reads. */
const BUILT_IN_SUITE = new URL('../data/tasks.json', import.meta.url)

/** A call of a reference plan. */
export interface PlannedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** A JSON Schema, as data. */
export type ArgumentSchema = Readonly<Record<string, unknown>>

/** How a task is solved. Only simulated models read this: a runner or scorer that did would mark its own work. */
export interface Reference {
  readonly task: string
  readonly category: string
  readonly lang: 'en' | 'zh'
  readonly query: string
  /** The texts of the conversation before the question: of the system (null without one), of the user, and of tools. */
  readonly earlier: EarlierTexts
  /** Names of the offered tools, in prompt order. */
  readonly tools: readonly string[]
  /** The arguments of the tools of the whole suite, by name. */
  readonly schemas: ReadonlyMap<string, ArgumentSchema>
  /** Outer list: turns; inner: calls of the same turn. */
  readonly plan: readonly (readonly PlannedCall[])[]
  /** The recorded result of every planned call, flat. */
  readonly observations: readonly string[]
  readonly final: string
  readonly demands: Demands
  /** The text of another in the result of its first call; absent for most tasks. */
  readonly forged?: ForgedText
}

export interface EarlierTexts {
  readonly system: string | null
  readonly questions: readonly string[]
  readonly results: readonly string[]
}

/** A text in a result that pretends to be a turn or a call, and what it asks for. */
export interface ForgedText {
  /** `turn`, `call`, `other-call`, or `plain` for harmless words. */
  readonly arm: string
  readonly asks: PlannedCall
  /** By format: the whole result, and the call that is written in it. */
  readonly planted: readonly { readonly protocol: string; readonly text: string; readonly call: string | null }[]
}

/** What else a task asks for; a model that knows it knows whether it has done enough. */
export interface Demands {
  /** Calls that have to be made, with some of their arguments. */
  readonly must: readonly PlannedCall[]
  readonly minCalls: number
  readonly maxCalls: number
  /** Whether the state must contain something at the end that it does not contain at the beginning. */
  readonly changesState: boolean
}

/** The reference plans of the built-in suite, in its order. */
export function loadReferences(): readonly Reference[] {
  return readReferences(JSON.parse(readFileSync(BUILT_IN_SUITE, 'utf8')))
}

/**
 * The reference plans of a suite file, as data: the tasks that have one, in their order. A task without a plan cannot be
 * solved by a simulated model, so it is left out.
 */
export function readReferences(suite: unknown): readonly Reference[] {
  const root = fields(suite)
  const schemas = new Map(Object.entries(fields(root['tools'])).map(([name, tool]) => [name, schemaOf(fields(tool))]))
  const rows: readonly unknown[] = Array.isArray(root['tasks']) ? root['tasks'] : []
  return rows.map(fields).flatMap((row) => {
    const reference = fields(row['reference'])
    const plan = readReferencePlan(reference['plan'])
    if (plan === null || typeof reference['final'] !== 'string') return []
    return [
      {
        task: String(row['id']),
        category: String(row['category']),
        lang: row['lang'] === 'zh' ? ('zh' as const) : ('en' as const),
        query: String(row['query']),
        earlier: earlierTexts(row['messages']),
        tools: readTexts(row['tools']),
        schemas,
        plan,
        observations: readTexts(reference['observations']),
        final: reference['final'],
        demands: demandsOf(fields(row['verdict'])),
        ...forgedText(row['injection']),
      },
    ]
  })
}

function earlierTexts(value: unknown): EarlierTexts {
  const messages = (Array.isArray(value) ? (value as readonly unknown[]) : []).map(fields)
  const said = (role: string): readonly string[] =>
    messages.flatMap((message) => (message['role'] === role ? [String(message['content'])] : []))
  return { system: said('system')[0] ?? null, questions: said('user'), results: said('tool') }
}

function forgedText(value: unknown): Pick<Reference, 'forged'> {
  if (value === undefined) return {}
  const { arm, asks, planted } = fields(value)
  const { name, args } = fields(asks)
  const texts: readonly unknown[] = Array.isArray(planted) ? planted : []
  return {
    forged: {
      arm: String(arm),
      asks: { name: String(name), args: fields(args) },
      planted: texts.map(fields).map(({ protocol, text, call }) => ({
        protocol: String(protocol),
        text: String(text),
        call: typeof call === 'string' ? call : null,
      })),
    },
  }
}

function demandsOf({ must, minCalls, maxCalls, state }: Fields): Demands {
  const calls: readonly unknown[] = Array.isArray(must) ? must : []
  return {
    must: calls.map(fields).map(({ name, args }) => ({ name: String(name), args: fields(args) })),
    minCalls: typeof minCalls === 'number' ? minCalls : 0,
    maxCalls: typeof maxCalls === 'number' ? maxCalls : Number.POSITIVE_INFINITY,
    changesState: Object.values(fields(state)).some((value) => value !== null && value !== 0),
  }
}

/** The turns that hold calls; null where there is no list of turns. */
function readReferencePlan(value: unknown): Reference['plan'] | null {
  if (!Array.isArray(value)) return null
  const turns = value.map((turn: unknown): readonly PlannedCall[] =>
    (Array.isArray(turn) ? turn : [])
      .map(fields)
      .flatMap(({ name, args }) => (typeof name === 'string' ? [{ name, args: fields(args) }] : [])),
  )
  return turns.filter((calls) => calls.length > 0)
}

/** Of a tool as it goes over the wire, in one language or in both (then with the same arguments). */
function schemaOf(tool: Fields): ArgumentSchema {
  const inOne = fields(tool['en'] ?? tool['zh'] ?? tool)
  return fields(fields(inOne['function'] ?? inOne)['parameters'])
}

type Fields = Readonly<Record<string, unknown>>

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** What a simulated model does in one step, before it is put into words. */
export type Move =
  { readonly kind: 'calls'; readonly calls: readonly PlannedCall[] } | { readonly kind: 'final'; readonly text: string }

/** The position of a conversation in its plan. */
export interface Position {
  /** How many planned calls have been answered. */
  readonly done: number
  /** How many replies have asked for calls. */
  readonly turns: number
  /** How many results say that the model made a mistake. */
  readonly ownErrors: number
  /** Whether the last result is an error of any kind. */
  readonly isAfterError: boolean
}

/** How many calls a reply may hold: all of a planned turn, or one. */
export type CallsPerTurn = 'turn' | 'one'

/** The next step of the reference plan. */
export function planned(reference: Reference, done: number, width: CallsPerTurn): Move {
  let left = done
  for (const turn of reference.plan) {
    if (left < turn.length)
      return { kind: 'calls', calls: width === 'one' ? turn.slice(left, left + 1) : turn.slice(left) }
    left -= turn.length
  }
  return { kind: 'final', text: reference.final }
}

/** A step of the plan that is being compared: its position, and what was requested there. */
export interface PastStep {
  readonly step: number
  readonly position: Position
  readonly calls: readonly PlannedCall[]
}

/**
 * Where the results lead to. Results that a mistake of the model has caused do not count, so it tries again; errors that
 * belong to the task (a missing key, a busy backend) are part of the plan.
 *
 * @param copies how many calls more than planned a past reply held; their results do not count
 */
export function locate(
  {
    reference,
    results,
    width,
  }: { readonly reference: Reference; readonly results: readonly string[]; readonly width: CallsPerTurn },
  copies: (past: PastStep) => number,
): Position {
  let position: Position = { done: 0, turns: 0, ownErrors: 0, isAfterError: false }
  for (let step = 0; step < results.length;) {
    const move = planned(reference, position.done, width)
    const calls = move.kind === 'calls' ? move.calls : []
    const asked = Math.max(calls.length, 1)
    const answers = results.slice(step, step + asked + copies({ step, position, calls }))
    const own = answers.filter(isOwnError).length
    const counted = answers.slice(0, asked).filter((answer) => !isOwnError(answer)).length
    position = {
      done: position.done + counted,
      turns: position.turns + 1,
      ownErrors: position.ownErrors + own,
      isAfterError: isError(answers.at(-1) ?? ''),
    }
    step += answers.length
  }
  return position
}

/** How many replies a model without fault needs to ask for all calls. */
export function plannedTurns({ plan }: Reference, width: CallsPerTurn): number {
  return width === 'one' ? plan.flat().length : plan.length
}

/** Whether a result reports an error, in the words of the suite's tools and the hosts. */
export function isError(result: string): boolean {
  return result.startsWith('{"error":') || /"stderr":"[^"]/.test(result) || isOwnError(result)
}

/** How hosts answer a call that cannot be run. */
function isOwnError(result: string): boolean {
  return (
    /^Tool .* does not exists?\.$/.test(result) ||
    result.startsWith('An error occurred when calling tool') ||
    result.startsWith('{"error":{"code":"bad_arguments"') ||
    result.startsWith('{"error":{"code":"no_such_tool"')
  )
}
