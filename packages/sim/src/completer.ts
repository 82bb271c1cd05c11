import type { Asked } from './asked.ts'
import { completionId, completionOf } from './completion.ts'
import type { Completion } from './completion.ts'
import { culpritOf } from './culprit.ts'
import { createExamples } from './examples.ts'
import type { LedgerEntry } from './ledger.ts'
import { createLots } from './lot.ts'
import { readModelName } from './model-name.ts'
import type { ReadName } from './model-name.ts'
import type { ModelSpec } from './model-spec.ts'
import type { Passes } from './passes.ts'
import type { Reference } from './reference.ts'
import { outcomeOf } from './outcome.ts'
import { ModelNameError, quoted } from './shares.ts'
import type { SimProtocol } from './protocol.ts'
import { createReader } from './situation.ts'
import type { Situation } from './situation.ts'
import { speakerOf } from './speak/table.ts'
import { countTokens } from './tokens.ts'
import { latencyOf, strike } from './transport.ts'
import type { Struck } from './transport.ts'
import { pastFaults, takeTurn } from './turn.ts'
import type { Turn } from './turn.ts'

/** A request that no simulated model can answer. */
export interface Refusal {
  readonly kind: 'refusal'
  readonly status: number
  readonly code: string
  readonly message: string
}

/** A completion, what happens to it on the way, and the row of the ledger that it gets if it arrives. */
export interface Made {
  readonly kind: 'made'
  readonly completion: Completion
  readonly struck: Struck
  readonly entry: LedgerEntry
  readonly latencyMs: number
}

/** What completions are made from. */
export interface CompleterOptions {
  readonly references: readonly Reference[]
  readonly passes: Passes | null
  readonly formats: readonly SimProtocol[]
}

/** Makes completions. Each follows from its request alone, unless the model's server ignores the seed. */
export function createCompleter({ references, passes, formats }: CompleterOptions): (asked: Asked) => Made | Refusal {
  const examples = createExamples(references)
  const lotOf = createLots(references, { examples, passes })
  const read = createReader(references, formats)
  const nameOf = createNameReader()
  let asks = 0
  return (asked) => {
    const name = nameOf(asked.model)
    if (name.kind === 'unknown') return { kind: 'refusal', status: 404, code: 'model_not_found', message: name.message }
    if (name.kind === 'invalid') return invalid(name.message)
    const situation = read(asked.prompt, asked.hints)
    if (situation === null) return UNKNOWN_TASK
    const { spec } = name
    asks += 1
    const luck = spec.transport.some((rule) => rule.name === 'ignore_seed') ? asks : null
    const sample = luck ?? asked.seed
    try {
      const turn = { spec, sample, ...situation, step: situation.results.length }
      const lot = lotOf({ spec, sample, ...situation })
      const taken = takeTurn({ situation, turn, lot, examples })
      return made(asked, {
        spec,
        situation,
        turn: luck === null ? taken : varied(taken, luck, speakerOf(situation.protocol).asksInParts),
        past: pastFaults({ situation, turn, lot }),
        luck,
      })
    } catch (error) {
      if (!(error instanceof ModelNameError)) throw error
      return invalid(`The model name ${quoted(asked.model)} cannot be: ${error.message}`)
    }
  }
}

interface Parts {
  readonly spec: ModelSpec
  readonly situation: Situation
  readonly turn: Turn
  /** The spoilt turns before it. */
  readonly past: ReturnType<typeof pastFaults>
  /** What a server draws that ignores the seed. */
  readonly luck: number | null
}

function made(asked: Asked, { spec, situation, turn, past, luck }: Parts): Made {
  const { protocol, reference, results, part } = situation
  const key = [
    spec.seed,
    `${spec.identity} ${protocol}`,
    reference.task,
    asked.seed,
    results.length,
    part.kind,
  ] as const
  const struck = strike(spec.transport, ...key)
  const latencyMs = latencyOf(struck, ...key)
  const id = completionId(asked.api === 'chat' ? 'chatcmpl' : 'cmpl', [
    ...asked.identity,
    ...(luck === null ? [] : [luck]),
  ])
  // A template writes the tools into the prompt.
  const texts = [asked.tools, ...asked.prompt.messages.map(({ content }) => content)]
  const promptTokens = texts.reduce((sum, text) => sum + countTokens(text), 0)
  const sent = { id, model: asked.model, limits: asked.limits, struck, promptTokens }
  const completion = completionOf(turn, sent)
  const { labels } = completion
  const entry: LedgerEntry = {
    id,
    model: asked.model,
    protocol,
    host: speakerOf(protocol).host,
    task: reference.task,
    sample: asked.seed,
    step: results.length,
    fault: turn.fault,
    drawn: turn.drawn,
    parameters: turn.parameters,
    ...{ strict: labels.strict, lenient: labels.lenient, end: labels.end, blames: culpritOf(labels) },
    outcome: outcomeOf({
      ...{ labels, turn, reference, results: results.length },
      past: past.map((each) => culpritOf(completionOf(each, sent).labels)),
    }),
    // Of a text that was cut nobody knows what is left.
    flags: completion.isCut ? [] : (turn.expect.flags ?? []),
    salvageable: completion.isCut ? null : (turn.expect.salvageable ?? null),
    cutAt: completion.cutAt,
    transport: [...(struck.failure === null ? [] : [struck.failure.name]), ...struck.manners.keys()],
    latencyMs,
  }
  return { kind: 'made', completion, struck, entry, latencyMs }
}

/** Words and spaces that change no label: enough to see that two replies differ. */
function varied(turn: Turn, luck: number, asksInParts: boolean): Turn {
  const { reply } = turn
  const calls = reply.calls.map((call) => ({ ...call, arguments: `${call.arguments}${' '.repeat(1 + (luck % 7))}` }))
  if (reply.text.trim() === '') return { ...turn, reply: { ...reply, calls } }
  const text = asksInParts ? `${reply.text}${' '.repeat(1 + (luck % 7))}` : `This is reply ${luck}. ${reply.text}`
  return { ...turn, reply: { ...reply, text, calls } }
}

/** Names are read once; a client has few of them. */
function createNameReader(): (name: string) => ReadName {
  const known = new Map<string, ReadName>()
  return (name) => {
    const read = known.get(name) ?? readModelName(name)
    if (known.size >= MOST_NAMES) known.clear()
    known.set(name, read)
    return read
  }
}

const MOST_NAMES = 1000

function invalid(message: string): Refusal {
  return { kind: 'refusal', status: 400, code: 'invalid_request_error', message }
}

const UNKNOWN_TASK: Refusal = {
  kind: 'refusal',
  status: 404,
  code: 'sim_unknown_task',
  message:
    'SIM_UNKNOWN_TASK: the request holds no prompt of a known protocol with a question of the suite, so a simulated model cannot answer.',
}
