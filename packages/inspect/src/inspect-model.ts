import { formatNamed, joinParts } from '@callspec/core'
import type { Format, PromptOutcome } from '@callspec/core'
import { dumps, InputError, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { loadTemplate, resultData } from '@callspec/response-template'
import type { ReadResult } from '@callspec/response-template'
import { findingData, lintResponseTemplate } from '@callspec/response-template/lint'
import type { ResponseFindingData } from '@callspec/response-template/lint'
import { roundTrip, roundTripCases, turnEnd } from '@callspec/response-template/roundtrip'
import type { RoundTripVerdict } from '@callspec/response-template/roundtrip'
import { compileTemplate } from '@callspec/template'
import type { Limits, Rendering } from '@callspec/template'
import { checkPrompts, createSide, diffProbes } from '@callspec/template/check'
import type { PromptingFormat } from '@callspec/template/check'
import { lintTemplate } from '@callspec/template/lint'
import type { LintReport } from '@callspec/template/lint'
import { variablesWithDefaults } from '@callspec/template/source'
import type { SpecialTokens, TextSource } from '@callspec/template/source'
import { modelAnswer, modelEvidence, saidEvidence } from './evidence.ts'
import type { Evidence, ModelAnswer } from './evidence.ts'
import type { OpenedModel } from './model-files.ts'

/** What the files of a model say about its tool calls, as plain data. */
export interface Inspection {
  readonly name: string
  readonly files: readonly string[]
  readonly format: ModelAnswer
  /** For each format of the answer that has prompts: the version whose prompts are most like those of the chat template. */
  readonly versions: readonly LikestVersion[]
  /** Null without a chat template; `missing` says why. */
  readonly template: InspectedTemplate | null
  readonly missing: string | null
  /** Without a chat template: the prompt that its format writes, if callspec has one. */
  readonly formatPrompt: FormatPrompt | null
  readonly response: InspectedResponse
}

/** The prompt of the sample conversation by a format. */
export interface FormatPrompt {
  readonly format: string
  readonly version: string
  /** The text, or why the format refuses the conversation. */
  readonly outcome:
    { readonly kind: 'prompted'; readonly text: string } | { readonly kind: 'refused'; readonly reason: string }
}

/** A version of a format, and in how many conversations its prompt is that of the template, byte for byte. */
export interface LikestVersion {
  readonly format: string
  readonly version: string
  readonly same: number
  readonly compared: number
}

/** A chat template. */
export interface InspectedTemplate {
  /** Where its text is, such as `chat_template`. */
  readonly place: string
  readonly text: string
  /** Its name, if the model has several; otherwise null. */
  readonly chosen: string | null
  /** Names of the other templates of the model. */
  readonly others: readonly string[]
  /** The prompt of the sample conversation, or why it is refused. */
  readonly prompt: Rendering
  /** Findings, and the attacks by texts of users and tools. */
  readonly lint: LintReport
}

/** The response template of a model. */
export type InspectedResponse =
  | { readonly kind: 'none' }
  /** The older `response_schema`, which is not judged. */
  | { readonly kind: 'schema' }
  /** transformers refuses it. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'read'
      readonly findings: readonly ResponseFindingData[]
      /** Messages that the chat template wrote and the response template read; empty without a chat template. */
      readonly trips: readonly TripView[]
    }

/** What a message became. */
export interface TripView {
  readonly id: string
  readonly verdict: RoundTripVerdict
  /** Parts that came back as something else. */
  readonly differs: readonly string[]
  /** The reply as the chat template writes it; null if it refuses. */
  readonly reply: string | null
  /** JSON of what was read, or why it was refused. */
  readonly outcome: string
}

/** What to inspect a model with. */
export interface InspectSettings {
  /** `messages`, `tools` and other variables of the sample conversation. */
  readonly variables: PyDict
  readonly now: Date
}

/** Inspects a model. No content of a template makes it throw. */
export async function inspectModel(model: OpenedModel, { variables, now }: InspectSettings): Promise<Inspection> {
  const { name, files, chat, missing } = model
  const evidence = await modelEvidence(model)
  const versions = chat === null ? [] : await likestVersions(chat, modelAnswer(evidence).formats, now)
  const format = modelAnswer([...promptEvidence(versions), ...evidence])
  return {
    name,
    files,
    format,
    versions,
    formatPrompt: chat === null ? promptByFormat(format.formats[0], variables) : null,
    template: chat === null ? null : inspectTemplate(chat, { variables, now }),
    missing,
    response: await inspectResponse(model, now),
  }
}

/** The prompt of a format in its default version; null if callspec has none. */
function promptByFormat(id: string | undefined, variables: PyDict): FormatPrompt | null {
  const format = id === undefined ? null : formatNamed(id)
  if (format === null || !isPrompting(format)) return null
  const [messages, tools] = [variables.get('messages') ?? [], variables.get('tools') ?? null]
  const options = new Map([...variables].filter(([name]) => name !== 'messages' && name !== 'tools'))
  const version = format.versions[0] ?? ''
  const given = {
    messages: isList(messages) ? messages.filter(isDict) : [],
    tools: isList(tools) ? tools : null,
    options,
  }
  const outcome = attemptPrompt(() => format.prompt(given, version))
  if (outcome.kind === 'refused') return { format: format.id, version, outcome }
  return { format: format.id, version, outcome: { kind: 'prompted', text: joinParts(outcome.parts) } }
}

/** A conversation in a shape that a format does not accept is refused, too. */
function attemptPrompt(prompt: () => PromptOutcome): PromptOutcome {
  try {
    return prompt()
  } catch (error) {
    if (error instanceof InputError) return { kind: 'refused', reason: error.message }
    throw error
  }
}

/** Formats that read calls alike are told apart by their prompts. */
function promptEvidence(versions: readonly LikestVersion[]): readonly Evidence[] {
  const equal = versions.filter(({ same, compared }) => same === compared)
  if (equal.length === 0) return []
  const formats = equal.map(({ format, version }) => `${format} (${version})`).join(' and ')
  const values = { formats, count: String(equal[0]?.compared ?? 0) }
  return [saidEvidence('prompts', { by: 'prompts', formats: equal.map(({ format }) => format), values })]
}

/** Limits for one prompt: a page must stay responsive, and real templates need far less. */
const LIMITS: Partial<Limits> = { steps: 5_000_000, output: 2 ** 22, milliseconds: 5_000 }

function inspectTemplate(chat: TextSource, { variables, now }: InspectSettings): InspectedTemplate {
  const { template, tokens, specials, place, others, name } = chat
  const known = Object.keys(tokens).length === 0 ? {} : { tokens }
  return {
    place,
    text: template,
    chosen: others.length === 0 ? null : (/#([^#]*)$/.exec(name)?.[1] ?? null),
    others,
    prompt: renderedBy(chat, variables, now),
    lint: lintTemplate({ source: template, ...known, specials }),
  }
}

/** The prompt of a chat template, with the special tokens of its tokenizer. */
export function renderedBy(
  { template, tokens }: Pick<TextSource, 'template' | 'tokens'>,
  variables: PyDict,
  now: Date,
): Rendering {
  const compiled = compileTemplate(template)
  if (compiled.error !== null) return { kind: 'raised', error: compiled.error }
  const all = variablesWithDefaults(variables, { tokens, forced: new Map() })
  return compiled.render(all, { limits: LIMITS, now })
}

/** Formats with more than so many versions and sisters are not compared: an answer of that many is a guess. */
const MOST_COMPARED = 4

/** Of each format the version with the most equal prompts, if there are any. */
async function likestVersions(chat: TextSource, ids: readonly string[], now: Date): Promise<readonly LikestVersion[]> {
  if (compileTemplate(chat.template).error !== null) return []
  const found: LikestVersion[] = []
  for (const format of ids.slice(0, MOST_COMPARED).map(formatNamed)) {
    if (format === null || !isPrompting(format)) continue
    const side = await createSide(chat, { settings: { forced: new Map(), now }, tokens: tokensOfFormat(format, chat) })
    const counted: LikestVersion[] = []
    for (const version of format.versions) {
      const inVersion: PromptingFormat = { ...format, prompt: (conversation) => format.prompt(conversation, version) }
      const { compared, differences } = await checkPrompts(inVersion, diffProbes(), (probe) => side.show(probe))
      counted.push({ format: format.id, version, compared, same: compared - differences.length })
    }
    const best = counted.toSorted((one, other) => other.same - one.same)[0]
    if (best !== undefined) found.push(best)
  }
  return found
}

function isPrompting(format: Format): format is PromptingFormat {
  return format.prompt !== null
}

/** The special tokens of a format, for a chat template that uses some and comes without them. */
export function tokensOfFormat(format: Format, chat: Pick<TextSource, 'template'> | null): SpecialTokens {
  const eos = format.stops.end[0]
  const first = isPrompting(format) ? firstToken(format) : null
  const writes = (token: string): boolean => chat?.template.includes(token) === true
  return {
    ...(first === null || writes(first) ? {} : { bos_token: first }),
    ...(eos === undefined ? {} : { eos_token: eos }),
  }
}

function firstToken({ prompt }: PromptingFormat): string | null {
  const user: PyDict = new Map([
    ['role', 'user'],
    ['content', 'Hi.'],
  ])
  const outcome = prompt({ messages: [user], tools: null, options: new Map() })
  const first = outcome.kind === 'prompted' ? outcome.parts[0] : undefined
  return first?.kind === 'token' ? first.text : null
}

async function inspectResponse({ response, chat }: OpenedModel, now: Date): Promise<InspectedResponse> {
  if (response.kind !== 'template') return { kind: response.kind }
  const loaded = loadTemplate(response.value)
  if (loaded.kind !== 'loaded') {
    const { type, kind, message } = loaded.fault
    return { kind: 'refused', reason: `${kind}: ${type}: ${message}` }
  }
  const render =
    chat === null
      ? undefined
      : async (variables: PyDict): Promise<Rendering> => Promise.resolve(renderedBy(chat, variables, now))
  const findings = await lintResponseTemplate(response.value, { render })
  const trips: TripView[] = []
  if (render !== undefined) {
    const end = await turnEnd(render)
    for (const one of roundTripCases()) {
      const { id, verdict, differs, written, result, refusal } = await roundTrip(
        one,
        { render, template: loaded.template },
        end,
      )
      const outcome = result === null ? (refusal ?? '') : jsonOfResult(result)
      trips.push({ id, verdict, differs, reply: written?.reply ?? null, outcome })
    }
  }
  return { kind: 'read', findings: findings.map(findingData), trips }
}

function jsonOfResult(result: ReadResult): string {
  return dumps(resultData(result))
}

/** `messages` and `tools` of a sample: an object of variables, or a list of messages; null for anything else. */
export function variablesFrom(value: PyValue): PyDict | null {
  if (isDict(value)) return value
  return Array.isArray(value) ? new Map<string, PyValue>([['messages', value]]) : null
}

/** Of several formats that read calls alike, the one whose prompts are most like those of the model; undefined if the format is unknown. */
export function likestFormat({ format, versions }: Pick<Inspection, 'format' | 'versions'>): string | undefined {
  const own = versions.filter(({ format: id }) => format.formats.includes(id))
  return own.toSorted((one, other) => other.same - one.same)[0]?.format ?? format.formats[0]
}
