import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Format } from '@callspec/core'
import { FORMATS } from '@callspec/core'
import { guessModel, tekkenFormats } from '@callspec/core/identify'
import { fromPlain, isDict } from '@callspec/python'
import type { Invocation } from '../command.ts'
import { identifyTemplateFile } from '../identify/identify-template.ts'
import { readSource, refusePipe } from '../input-file.ts'
import { quotedLine } from '../output.ts'
import { findResponseSource } from '../template/response-source.ts'
import { readByTemplate, readTemplateAt } from '../template/template-reader.ts'
import { UsageError } from '../usage-error.ts'

/**
 * Evidence for the formats of a model.
 *
 * @param model the folder of a model, one file of it, or a name
 * @throws UsageError for a folder or a file that is missing or broken
 */
export async function readModel(model: string, invocation: Invocation): Promise<readonly Evidence[]> {
  const found = await stat(model).catch(() => null)
  if (found?.isDirectory() === true)
    return [...(await evidenceInFolder(model, invocation)), ...nameEvidence(basename(resolve(model)), 'its folder')]
  if (found !== null) return evidenceInFile(model, invocation)
  if (/^(?:[./~]|[A-Za-z]:[\\/])/.test(model))
    throw new UsageError(`${model}: no such file or folder. Give the folder of a model, or its name.`)
  return nameEvidence(model, 'its name')
}

async function evidenceInFile(path: string, invocation: Invocation): Promise<readonly Evidence[]> {
  if (basename(path) === TEKKEN) return tekkenEvidence(path)
  const response = path.endsWith('.json') ? await findResponseSource(path) : null
  const isOther = response?.place === '' && isDict(response.value) && !response.value.has('fields')
  if (response?.kind !== 'template' || isOther) return templateEvidence(path, invocation)
  // A file of the response template alone has no chat template.
  const chat = response.place === '' ? [] : await templateEvidence(path, invocation)
  return [...chat, ...(await responseEvidence(path))]
}

/** Kinds of evidence, the strongest first. */
const GROUNDS = ['tekken.json', 'chat template', 'response template', 'vocabulary', 'name'] as const

export type Ground = (typeof GROUNDS)[number]

export interface Evidence {
  readonly by: Ground
  /** Ids; several if they cannot be told apart, none if the model is known but cannot be read. */
  readonly formats: readonly string[]
  /** For people, such as `its chat template writes calls of qwen3-coder`. */
  readonly says: string
  /** The known model, and what of its prompt is not covered. */
  readonly title?: string
  readonly lacks?: string
  /** Parsers that engines have for the model itself. */
  readonly servedAs?: Format['servedAs']
}

export interface ModelAnswer {
  /** Ids; empty if unknown, or the model is known but cannot be read. */
  readonly formats: readonly string[]
  readonly sure: 'sure' | 'likely' | 'a guess' | 'unknown'
  /** The strongest first. */
  readonly evidence: readonly Evidence[]
  readonly lacks: string | null
}

const SURE: Readonly<Record<Ground, ModelAnswer['sure']>> = {
  'tekken.json': 'sure',
  'chat template': 'sure',
  'response template': 'likely',
  vocabulary: 'likely',
  name: 'a guess',
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

/** A guess. */
export function nameEvidence(name: string, whose: string): readonly Evidence[] {
  const guess = guessModel(name)
  if (guess === null) return []
  const { formats, title, lacks, source, servedAs } = guess
  const unread = formats.length === 0 ? `, and callspec cannot read ${title ?? 'what it writes'} yet` : ''
  const says = `${whose} is "${quotedLine(name)}"${unread}${source === undefined ? '' : ` (${source})`}`
  return [
    {
      by: 'name',
      formats,
      says,
      ...(title === undefined ? {} : { title }),
      ...(lacks === undefined ? {} : { lacks }),
      ...(servedAs === undefined ? {} : { servedAs }),
    },
  ]
}

const TEKKEN = 'tekken.json'
const TOKENIZER = 'tokenizer_config.json'
const CONFIG = 'config.json'
const TEMPLATE_FILES: ReadonlySet<string> = new Set(['chat_template.jinja', 'chat_template.json'])

/**
 * Evidence in the files of a model.
 *
 * @throws UsageError for a file that is not JSON, and for a folder with none of these files
 */
export async function evidenceInFolder(folder: string, invocation: Invocation): Promise<readonly Evidence[]> {
  const names = new Set(await readdir(folder))
  for (const name of [TEKKEN, TOKENIZER, CONFIG]) await refusePipe(join(folder, name))
  const found: Evidence[] = []
  if (names.has(TEKKEN)) found.push(...(await tekkenEvidence(join(folder, TEKKEN))))
  const tokenizer = names.has(TOKENIZER) ? await readObject(join(folder, TOKENIZER)) : {}
  const hasTemplate = [...TEMPLATE_FILES].some((name) => names.has(name)) || 'chat_template' in tokenizer
  if (hasTemplate) found.push(...(await templateEvidence(folder, invocation)))
  if ('response_template' in tokenizer) found.push(...(await responseEvidence(join(folder, TOKENIZER))))
  found.push(...vocabularyEvidence(tokenizer))
  const config = names.has(CONFIG) ? await readObject(join(folder, CONFIG)) : {}
  for (const member of ['_name_or_path', 'model_type']) {
    const name = config[member]
    if (typeof name === 'string') found.push(...nameEvidence(name, `the "${member}" of its ${CONFIG}`))
  }
  if (![TEKKEN, TOKENIZER, CONFIG, ...TEMPLATE_FILES].some((name) => names.has(name)))
    throw new UsageError(
      `${folder}: not a model's folder: it has no ${TOKENIZER}, ${TEKKEN}, chat_template.jinja or ${CONFIG}.`,
    )
  return found
}

/** The tokenizer's version, which decides for models with a `tekken.json`. */
export async function tekkenEvidence(path: string): Promise<readonly Evidence[]> {
  const tekken = await readObject(path)
  const version = jsonObjectOf(tekken['config'])?.['version'] ?? tekken['version']
  if (typeof version !== 'string') return []
  const formats = tekkenFormats(version)
  return formats === null
    ? []
    : [{ by: 'tekken.json', formats, says: `its ${TEKKEN} has version ${quotedLine(version, 20)}` }]
}

/** The formats that the chat template of a file or folder writes. */
export async function templateEvidence(path: string, invocation: Invocation): Promise<readonly Evidence[]> {
  const formats = (await identifyTemplateFile(path, invocation)).formats
  return formats.length === 0
    ? []
    : [{ by: 'chat template', formats, says: `its chat template writes calls as ${formats.join(' or ')} has them` }]
}

const SAMPLE_CALL = { kind: 'call', name: 'find_trains', arguments: '{"station": "Oslo"}', id: null } as const
const SAMPLE_TOOLS = fromPlain([
  { name: SAMPLE_CALL.name, parameters: { type: 'object', properties: { station: { type: 'string' } } } },
])

/** The formats of which a response template reads a call. */
async function responseEvidence(path: string): Promise<readonly Evidence[]> {
  const template = await readTemplateAt(path)
  const readsCall = ({ write }: Format): boolean => {
    const [call, ...others] = readByTemplate(template, write([SAMPLE_CALL]), { tools: SAMPLE_TOOLS }).calls
    return others.length === 0 && call?.name === SAMPLE_CALL.name && call.arguments === SAMPLE_CALL.arguments
  }
  const formats = FORMATS.filter(readsCall).map(({ id }) => id)
  const says = `its response template reads calls ${formats.length === 0 ? 'of no known format' : `of ${formats.join(' or ')}`}`
  return [{ by: 'response template', formats, says }]
}

/** The formats with most markers that are tokens of the vocabulary. */
function vocabularyEvidence(tokenizer: JsonObject): readonly Evidence[] {
  const added = Object.values(jsonObjectOf(tokenizer['added_tokens_decoder']) ?? {})
  const tokens = new Set(
    added.map((each) => jsonObjectOf(each)?.['content']).filter((text) => typeof text === 'string'),
  )
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
    : [{ by: 'vocabulary', formats, says: `its vocabulary has ${most} of the markers as tokens` }]
}

type JsonObject = Readonly<Record<string, unknown>>

function jsonObjectOf(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
}

async function readObject(path: string): Promise<JsonObject> {
  const { text } = await readSource(path)
  try {
    return jsonObjectOf(JSON.parse(text)) ?? {}
  } catch {
    throw new UsageError(`${path}: this is not JSON. Fetch the file again.`)
  }
}
