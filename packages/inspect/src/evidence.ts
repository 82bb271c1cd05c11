import type { Format } from '@callspec/core'
import { FORMATS } from '@callspec/core'
import { guessModel, tekkenFormats } from '@callspec/core/identify'
import { fill, fromPlain, isDict } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { loadTemplate, readByTemplate } from '@callspec/response-template'
import type { ResponseTemplate } from '@callspec/response-template'
import { compileTemplate } from '@callspec/template'
import { createSide } from '@callspec/template/check'
import { USUAL_TOKENS } from '@callspec/template/lint'
import type { TextSource } from '@callspec/template/source'
import { identifyTemplate } from './identify-template.ts'
import type { OpenedModel } from './model-files.ts'

/** Kinds of evidence, the strongest first. */
const GROUNDS = ['prompts', 'tekken.json', 'chat template', 'response template', 'vocabulary', 'name'] as const

/** One of them. */
export type Ground = (typeof GROUNDS)[number]

/**
 * What evidence says, with places for values. The playground has each in Chinese: `page/model/evidence-in-chinese.ts`, where the
 * compiler asks for a new one.
 */
const SENTENCES = {
  prompts: 'its prompts are those of {formats} in all {count} conversations',
  tekken: 'its tekken.json has version {version}',
  chat: 'its chat template writes calls as {formats} has them',
  response: 'its response template reads calls of {formats}',
  'response-unknown': 'its response template reads calls of no known format',
  vocabulary: 'its vocabulary has {count} of the markers as tokens',
  name: 'its name is "{name}" ({source})',
  'name-unread': 'its name is "{name}", and callspec cannot read {title} yet ({source})',
  member: 'the "{member}" of its config.json is "{name}" ({source})',
  'member-unread': 'the "{member}" of its config.json is "{name}", and callspec cannot read {title} yet ({source})',
} as const

/** One reason why a model has a format. */
export interface Evidence {
  readonly by: Ground
  /** Ids; several if they cannot be told apart, none if the model is known but cannot be read. */
  readonly formats: readonly string[]
  /** For people, such as `its chat template writes calls of qwen3-coder`. */
  readonly says: string
  /** The same for pages in other languages: which sentence, and what is in its places. Several formats are `nous or qwen3-coder`. */
  readonly sentence: keyof typeof SENTENCES
  readonly values: Readonly<Record<string, string>>
  /** The known model, and what of its prompt is not covered. */
  readonly title?: string
  readonly lacks?: string
  /** Parsers that engines have for the model itself. */
  readonly servedAs?: Format['servedAs']
  /** Of a name that is known: the version of the format in which the model is prompted, and whether a chat template of it was at hand. */
  readonly version?: string
  readonly hasTemplate?: boolean
}

/** The format of a model. */
export interface ModelAnswer {
  /** Ids; empty if unknown, or the model is known but cannot be read. */
  readonly formats: readonly string[]
  readonly sure: 'sure' | 'likely' | 'a guess' | 'unknown'
  /** The strongest first. */
  readonly evidence: readonly Evidence[]
  readonly lacks: string | null
}

const SURE: Readonly<Record<Ground, ModelAnswer['sure']>> = {
  prompts: 'sure',
  'tekken.json': 'sure',
  'chat template': 'sure',
  'response template': 'likely',
  vocabulary: 'likely',
  name: 'a guess',
}

/** Evidence that says a sentence. */
export function saidEvidence(
  sentence: Evidence['sentence'],
  { values, ...more }: Omit<Evidence, 'says' | 'sentence'>,
): Evidence {
  return { ...more, says: fill(SENTENCES[sentence], values), sentence, values }
}

/** The formats of the strongest evidence, narrowed down by weaker evidence that agrees. */
export function modelAnswer(given: readonly Evidence[]): ModelAnswer {
  const evidence = GROUNDS.flatMap((by) => given.filter((each) => each.by === by))
  const lacks = evidence.find((each) => each.lacks !== undefined)?.lacks ?? null
  const [first, ...weaker] = evidence.filter(({ formats }) => formats.length > 0)
  if (first === undefined) return { formats: [], sure: 'unknown', evidence, lacks }
  const formats = weaker.reduce((known, { formats: others }) => {
    const both = known.filter((id) => others.includes(id))
    return both.length === 0 ? known : both
  }, first.formats)
  return { formats, sure: SURE[first.by], evidence, lacks }
}

/** Evidence in the files of a model. A chat template that does not compile gives none. */
export async function modelEvidence(model: OpenedModel): Promise<readonly Evidence[]> {
  const { chat, response, config, modelName } = model
  const names = ['_name_or_path', 'model_type'].flatMap((member) => {
    const name = config.get(member)
    return typeof name === 'string' ? nameEvidence(name, member) : []
  })
  return [
    ...tekkenEvidence(model.tekken),
    ...(chat === null ? [] : await chatEvidence(chat)),
    ...(response.kind === 'template' ? responseEvidence(loaded(response.value)) : []),
    ...vocabularyEvidence(model.vocabulary),
    ...names,
    ...(modelName === null ? [] : nameEvidence(modelName)),
  ]
}

function loaded(value: Parameters<typeof loadTemplate>[0]): ResponseTemplate | null {
  const result = loadTemplate(value)
  return result.kind === 'loaded' ? result.template : null
}

/**
 * A guess.
 *
 * @param member of the config that contains the name; absent: the name of the model itself
 */
export function nameEvidence(name: string, member?: string): readonly Evidence[] {
  const guess = guessModel(name)
  if (guess === null) return []
  const { formats, version = 'strict', title, lacks, source, servedAs, hasTemplate } = guess
  const where = member === undefined ? 'name' : 'member'
  const values = { name: short(name), source, member: member ?? '', title: title ?? 'what it writes' }
  return [
    saidEvidence(formats.length === 0 ? `${where}-unread` : where, {
      ...{ by: 'name', formats, values, hasTemplate },
      ...(formats.length === 0 ? {} : { version }),
      ...(title === undefined ? {} : { title }),
      ...(lacks === undefined ? {} : { lacks }),
      ...(servedAs === undefined ? {} : { servedAs }),
    }),
  ]
}

/** The tokenizer's version, which decides for models with a `tekken.json`. */
function tekkenEvidence(tekken: PyDict): readonly Evidence[] {
  const config = tekken.get('config') ?? null
  const version = (isDict(config) ? config.get('version') : undefined) ?? tekken.get('version')
  if (typeof version !== 'string') return []
  const formats = tekkenFormats(version)
  const values = { version: short(version) }
  return formats === null ? [] : [saidEvidence('tekken', { by: 'tekken.json', formats, values })]
}

/** The formats that a chat template writes. */
async function chatEvidence(chat: TextSource): Promise<readonly Evidence[]> {
  if (compileTemplate(chat.template).error !== null) return []
  const side = await createSide(chat, { settings: { forced: new Map(), now: new Date() }, tokens: USUAL_TOKENS })
  const { formats } = await identifyTemplate(side)
  return formats.length === 0
    ? []
    : [saidEvidence('chat', { by: 'chat template', formats, values: { formats: formats.join(' or ') } })]
}

const SAMPLE_CALL = { kind: 'call', name: 'find_trains', arguments: '{"station": "Oslo"}', id: null } as const
const SAMPLE_TOOLS = fromPlain([
  { name: SAMPLE_CALL.name, parameters: { type: 'object', properties: { station: { type: 'string' } } } },
])

/** The formats of which a response template reads a call. */
function responseEvidence(template: ResponseTemplate | null): readonly Evidence[] {
  if (template === null) return []
  const readsCall = ({ write }: Format): boolean => {
    const [call, ...others] = readByTemplate(template, write([SAMPLE_CALL]), { tools: SAMPLE_TOOLS }).calls
    return others.length === 0 && call?.name === SAMPLE_CALL.name && call.arguments === SAMPLE_CALL.arguments
  }
  const formats = FORMATS.filter(readsCall).map(({ id }) => id)
  const sentence = formats.length === 0 ? 'response-unknown' : 'response'
  return [saidEvidence(sentence, { by: 'response template', formats, values: { formats: formats.join(' or ') } })]
}

/** The formats with most markers that are tokens of the vocabulary. */
function vocabularyEvidence(tokens: ReadonlySet<string>): readonly Evidence[] {
  const counted = FORMATS.map(({ id, markers }) => {
    const own = [...markers.callStart, ...markers.callInner, ...markers.callEnd, ...markers.others]
    return {
      id,
      starts: markers.callStart.some((each) => tokens.has(each)),
      count: own.filter((each) => tokens.has(each)).length,
    }
  }).filter(({ starts }) => starts)
  const most = Math.max(0, ...counted.map(({ count }) => count))
  const formats = counted.filter(({ count }) => count === most).map(({ id }) => id)
  return formats.length === 0
    ? []
    : [saidEvidence('vocabulary', { by: 'vocabulary', formats, values: { count: String(most) } })]
}

/** A name in a sentence, on one line. */
function short(name: string): string {
  const line = name.replaceAll(/\s+/g, () => ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
