import type { CompletionRequest } from './wire.ts'
import type { Completion } from './completion.ts'
import { completionId, completionOf, countTokens } from './completion.ts'
import { culpritOf } from './fault.ts'
import { createEpisodeDraws } from './episode-draw.ts'
import { createExamples } from './policy.ts'
import type { LedgerEntry } from './ledger.ts'
import { outcomeOf } from './ledger.ts'
import type { ReadName } from './model-name.ts'
import { readModelName } from './model-name.ts'
import type { ModelSpec, Passes } from './model-spec.ts'
import type { SimFormat } from './spoken-formats.ts'
import type { Reference } from './reference.ts'
import { ModelNameError, quotedWord } from './shares.ts'
import type { Situation } from './situation.ts'
import { createReader } from './situation.ts'
import { speakerOf } from './speak/speakers.ts'
import type { TransportEffects } from './transport.ts'
import { drawEffects, latencyOf } from './transport.ts'
import type { SimTurn } from './turn.ts'
import { pastFaults, takeTurn } from './turn.ts'

/** A request that no simulated model can answer. */
export interface RequestRefusal {
  readonly kind: 'refusal'
  readonly status: number
  readonly code: string
  readonly message: string
}

/** A completion, what happens to it during transport, and its row of the ledger if it arrives. */
export interface Made {
  readonly kind: 'made'
  readonly completion: Completion
  readonly effects: TransportEffects
  readonly entry: LedgerEntry
  readonly latencyMs: number
}

/** The inputs of completions. */
export interface CompleterOptions {
  readonly references: readonly Reference[]
  readonly passes: Passes | null
  readonly formats: readonly SimFormat[]
}

/** Makes completions. Each depends only on its request, unless the model's server ignores the seed. */
export function createCompleter({
  references,
  passes,
  formats,
}: CompleterOptions): (asked: CompletionRequest) => Made | RequestRefusal {
  const examples = createExamples(references)
  const drawOf = createEpisodeDraws(references, { examples, passes })
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
    const ownSample = spec.transport.some((rule) => rule.name === 'ignore_seed') ? asks : null
    const sample = ownSample ?? asked.seed
    try {
      const turn = { spec, sample, ...situation, step: situation.results.length }
      const episodeDraw = drawOf({ spec, sample, ...situation })
      const taken = takeTurn({ situation, turn, episodeDraw, examples })
      return made(asked, {
        spec,
        situation,
        turn: ownSample === null ? taken : varied(taken, ownSample, speakerOf(situation.format).asksInParts),
        past: pastFaults({ situation, turn, episodeDraw }),
        ownSample,
      })
    } catch (error) {
      if (!(error instanceof ModelNameError)) throw error
      return invalid(`The model name ${quotedWord(asked.model)} cannot be: ${error.message}`)
    }
  }
}

interface Parts {
  readonly spec: ModelSpec
  readonly situation: Situation
  readonly turn: SimTurn
  /** The faulty turns before it. */
  readonly past: ReturnType<typeof pastFaults>
  /** The sample of a server that ignores the seed. */
  readonly ownSample: number | null
}

function made(asked: CompletionRequest, { spec, situation, turn, past, ownSample }: Parts): Made {
  const { format, reference, results, part } = situation
  const key = [spec.seed, `${spec.identity} ${format}`, reference.task, asked.seed, results.length, part.kind] as const
  const effects = drawEffects(spec.transport, ...key)
  const latencyMs = latencyOf(effects, ...key)
  const id = completionId(asked.api === 'chat' ? 'chatcmpl' : 'cmpl', [
    ...asked.identity,
    ...(ownSample === null ? [] : [ownSample]),
  ])
  // A template writes the tools into the prompt.
  const texts = [asked.tools, ...asked.prompt.messages.map(({ content }) => content)]
  const promptTokens = texts.reduce((sum, text) => sum + countTokens(text), 0)
  const sent = { id, model: asked.model, limits: asked.limits, effects, promptTokens }
  const completion = completionOf(turn, sent)
  const { labels } = completion
  const outcome = outcomeOf({
    ...{ labels, turn, reference, results: results.length },
    past: past.map((each) => culpritOf(completionOf(each, sent).labels)),
  })
  const entry: LedgerEntry = {
    id,
    model: asked.model,
    protocol: format,
    host: speakerOf(format).host,
    task: reference.task,
    sample: asked.seed,
    step: results.length,
    fault: turn.fault,
    drawn: turn.drawn,
    parameters: turn.parameters,
    ...{ strict: labels.strict, lenient: labels.lenient, end: labels.end, blames: culpritOf(labels) },
    outcome,
    ...forgedTruth(reference, outcome, turn),
    // The rest of a text that was cut is unknown.
    flags: completion.isCut ? [] : (turn.expect.flags ?? []),
    salvageable: completion.isCut ? null : (turn.expect.salvageable ?? null),
    cutAt: completion.cutAt,
    transport: [...(effects.failure === null ? [] : [effects.failure.name]), ...effects.manners.keys()],
    latencyMs,
  }
  return { kind: 'made', completion, effects, entry, latencyMs }
}

/** For a task with a forged text; null where this turn must not be the last. */
function forgedTruth(
  { forged }: Reference,
  outcome: LedgerEntry['outcome'],
  turn: SimTurn,
): Pick<LedgerEntry, 'forged'> {
  if (forged === undefined) return {}
  if (outcome === null) return { forged: null }
  return { forged: turn.forged ?? { outcome: outcome.success ? 'ignored' : 'off-task', isRun: false } }
}

/** Words and spaces that change no label, so that two replies differ visibly. */
function varied(turn: SimTurn, ownSample: number, asksInParts: boolean): SimTurn {
  const { reply } = turn
  const calls = reply.calls.map((call) => ({
    ...call,
    arguments: `${call.arguments}${' '.repeat(1 + (ownSample % 7))}`,
  }))
  if (reply.text.trim() === '') return { ...turn, reply: { ...reply, calls } }
  const text = asksInParts
    ? `${reply.text}${' '.repeat(1 + (ownSample % 7))}`
    : `This is reply ${ownSample}. ${reply.text}`
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

function invalid(message: string): RequestRefusal {
  return { kind: 'refusal', status: 400, code: 'invalid_request_error', message }
}

const UNKNOWN_TASK: RequestRefusal = {
  kind: 'refusal',
  status: 404,
  code: 'sim_unknown_task',
  message:
    'SIM_UNKNOWN_TASK: the request holds no prompt of a known format with a question of the suite, so a simulated model cannot answer.',
}
