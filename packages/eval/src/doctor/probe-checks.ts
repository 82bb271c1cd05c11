import { SERVED_FORMAT, WORDED_FORMAT } from '../trace/format-names.ts'
import { hangs, REFUSES_ALL } from './advice.ts'
import { askCalls, SAY_FIRST } from './ask-calls.ts'
import type { Examined } from './finding.ts'
import { judgeArguments, judgeIds } from './judge-call-parts.ts'
import { isForceIgnored, judgeNative } from './judge-native.ts'
import { judgeProse } from './judge-prose.ts'
import { judgeChat, judgeSeeds, judgeStream, judgeUsage } from './judge-replies.ts'
import { judgeStop, stopWordFor } from './judge-stops.ts'
import { judgeMarkers, judgeRaw } from './judge-texts.ts'
import type { ModelListOptions } from './list-models.ts'
import { PROBE_TOKENS, SEED } from './prober.ts'
import type { Modes, Probe, Prober } from './prober.ts'
import { isCut, saySame } from './said.ts'
import { createServerPrompt } from './server-prompt.ts'

/** What the checks need in addition to the prober. */
export interface ProbeContext {
  readonly address: ModelListOptions
  readonly signal: AbortSignal
}

/**
 * Asks what an evaluation relies on, one request after the other: many local servers answer one at a time, and times would be those of a
 * queue. Later requests depend on earlier replies: the stop word, the limit of tokens, and whether a call must be forced.
 */
export async function probeChecks(prober: Prober, { address, signal }: ProbeContext): Promise<Examined> {
  const { ask, askBoth } = prober
  const plain = await ask({ format: WORDED_FORMAT })
  const chat = judgeChat(plain)
  if (plain.kind === 'failure' && hangs(plain.failure))
    return { findings: [chat], scripts: null, isAsked: false, served: '' }
  if (plain.kind === 'failure' && plain.failure.kind !== 'infra')
    return { findings: [chat], scripts: null, isAsked: !REFUSES_ALL.has(plain.failure.status ?? 0), served: '' }
  const stream = await prober.send(prober.requestOf({ format: WORDED_FORMAT }), { stream: true, mayRetry: true })
  const { probe: streamed, events } = stream
  const both = { whole: plain, streamed }
  const word = stopWordFor(plain)
  const stopped = word === null ? NOT_ASKED : await askBoth({ format: WORDED_FORMAT, parameters: { stop: word } })
  const isRepeatable = saySame(plain, await ask({ format: WORDED_FORMAT }))
  const seeds = await askSeeds(prober)
  const tokens = thinks(plain) ? PROBE_TOKENS * 8 : PROBE_TOKENS
  const raw = await ask({ format: WORDED_FORMAT, api: 'completions', tokens })
  const markers = await ask({ format: SERVED_FORMAT, system: SAY_FIRST, tokens })
  const hasRaw = raw.kind === 'reply'
  const serverPrompt = createServerPrompt(address)
  const calls = await askCalls(prober, { tokens, hasRaw, serverPrompt, chats: { plain: both, markers }, signal })
  const findings = [
    chat,
    judgeUsage(both),
    judgeStream(both, { events, isRepeatable }),
    judgeStop(plain, word, stopped),
    judgeSeeds(seeds),
    judgeNative(calls, isRepeatable),
    judgeArguments(calls, { tools: prober.tools, isRepeatable }),
    judgeIds(calls),
    judgeProse(calls, isRepeatable),
    judgeMarkers(markers, { isForceIgnored: isForceIgnored(calls.forced) }),
    judgeRaw(raw),
  ]
  const served = plain.kind === 'reply' ? (plain.reply.servedModel ?? '') : ''
  return { findings, scripts: null, isAsked: plain.kind !== 'late', served }
}

const NOT_ASKED: Modes = { whole: { kind: 'late' }, streamed: { kind: 'late' } }

async function askSeeds({ ask }: Prober): Promise<Parameters<typeof judgeSeeds>[0]> {
  const at = (seed: number): Promise<Probe> => ask({ format: WORDED_FORMAT, temperature: 1, seed })
  return { first: await at(SEED), again: await at(SEED), others: [await at(SEED + 1), await at(SEED + 2)] }
}

/** A model that thinks at length comes to its call much later. */
function thinks(plain: Probe): boolean {
  return plain.kind === 'reply' && isCut(plain.reply) && /^$|<think>/.test(plain.reply.text.trim())
}
