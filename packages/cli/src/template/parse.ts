import { attempt, dumps } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { ReadResult, ReadSettings, ResponseTemplate, TemplateReader } from '@callspec/response-template'
import { cutEvery, eventData, readBySchema, readReply, resultData, streamReply } from '@callspec/response-template'
import { readJson } from '@callspec/template/source'
import type { ExitCode, Invocation, Options } from '../command.ts'
import { EXIT } from '../command.ts'
import { readSource } from '../input-file.ts'
import type { Output } from '../output.ts'
import { escapeLoneSurrogates } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { READERS } from './options.ts'
import { loadedTemplate, readResponseSource } from './response-source.ts'

/** Reads a reply by a response template: the message, or the raise of the reference, as JSON. */
export async function runTemplateParse(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  if (options.text('batch') !== null) return (await import('./parse-batch.ts')).runParseBatch(invocation)
  const [path, reply, extra] = positionals
  if (path === undefined || reply === undefined || extra !== undefined)
    throw new UsageError(
      'callspec template parse needs a SOURCE and a REPLY: a file, or - for standard input. Or --batch FILE.',
    )
  const source = await readResponseSource(path)
  const { text } = await readSource(reply)
  if (source.kind === 'schema') return parseBySchema(source.value, text, { options, output })
  const template = loadedTemplate(source.value, source.name)
  const settings = await readSettings(options)
  const size = options.integer('stream', { min: 1 })
  const result =
    size === null ? readReply(template, text, settings) : streamed(template, text, { settings, size, invocation })
  if (size === null && options.flag('events'))
    throw new UsageError('--events needs --stream N: a whole reply has no pieces.')
  output.verbatim(`${jsonText(resultData(result), 2)}\n`)
  if (result.kind === 'raised') {
    noteRaise(template, text, { settings, result, output })
    return EXIT.disagreement
  }
  return size === null || isWhole(template, text, { settings, result, output }) ? EXIT.ok : EXIT.disagreement
}

function parseBySchema(
  schema: PyDict,
  text: string,
  { options, output }: Pick<Invocation, 'options' | 'output'>,
): ExitCode {
  for (const name of ['prompt', 'stream', 'tools', 'reader'])
    if (options.text(name) !== null)
      throw new UsageError(`--${name} does not go with a response_schema, which reads whole texts alone.`)
  output.warn('this is the older response_schema, deprecated since July 2026. Write a response_template.')
  const result = readBySchema(schema, text)
  const answer: PyValue = result.kind === 'read' ? result.value : raised(result)
  output.verbatim(`${jsonText(new Map([['message', answer]]), 2)}\n`)
  return result.kind === 'read' ? EXIT.ok : EXIT.disagreement
}

function raised({ type, message }: { readonly type: string; readonly message: string }): PyDict {
  return new Map([
    [
      'raise',
      new Map([
        ['type', type],
        ['message', message],
      ]),
    ],
  ])
}

/** The reader that `--reader` names. */
export function readerFrom(options: Options): TemplateReader {
  const given = options.text('reader')
  return READERS.find((reader) => reader === given) ?? 'transformers'
}

/** @throws UsageError where no prompt is given: transformers refuses to guess it, too */
async function readSettings(options: Options): Promise<ReadSettings> {
  const prompt = options.text('prompt')
  if (prompt === null)
    throw new UsageError(
      "Which prompt? Give --prompt FILE with the text that was sent to the model: it may have begun the message. --prompt '' if the reply is all of it.",
    )
  const prefix = prompt === '' ? '' : (await readSource(prompt)).text
  const tools = options.text('tools')
  return { prefix, tools: tools === null ? null : await readTools(tools), reader: readerFrom(options) }
}

async function readTools(path: string): Promise<PyValue> {
  const { name, text } = await readSource(path)
  return readJson(text, name)
}

interface StreamRequest {
  readonly settings: ReadSettings
  /** Code points per piece. */
  readonly size: number
  readonly invocation: Pick<Invocation, 'options' | 'output'>
}

function streamed(template: ResponseTemplate, text: string, { settings, size, invocation }: StreamRequest): ReadResult {
  const { options, output } = invocation
  const stream = streamReply(template, settings)
  const show = (step: typeof stream.initial): void => {
    if (step.kind === 'raised' || !options.flag('events')) return
    for (const event of step.events) output.verbatim(`${jsonText(eventData(event))}\n`)
  }
  show(stream.initial)
  for (const chunk of cutEvery(text, size)) show(stream.feed(chunk))
  const { step, result } = stream.end()
  show(step)
  return result
}

interface ReadOutcome {
  readonly settings: ReadSettings
  readonly result: ReadResult
  readonly output: Output
}

/** Whether the stream gave what the whole reply gives; says so if not. */
function isWhole(template: ResponseTemplate, text: string, { settings, result, output }: ReadOutcome): boolean {
  const whole = jsonText(resultData(readReply(template, text, settings)))
  if (whole === jsonText(resultData(result))) return true
  output.note(`callspec: the whole reply gives another message than the stream: ${whole}`)
  return false
}

/** What vLLM would keep of a reply that transformers refuses. */
function noteRaise(template: ResponseTemplate, text: string, { settings, result, output }: ReadOutcome): void {
  if (result.kind !== 'raised' || settings.reader === 'vllm') return
  const kept = readReply(template, text, { ...settings, reader: 'vllm' })
  if (kept.kind === 'read')
    output.note(`callspec: vLLM leaves out what cannot be read, and keeps: ${jsonText(resultData(kept))}`)
}

/** JSON as Python writes it. A value that Python cannot write is an answer, too. */
export function jsonText(value: PyValue, indent: number | null = null): string {
  const text = attempt(() => dumps(value, { indent }))
  if (text.kind === 'returned') return escapeLoneSurrogates(text.value)
  return dumps(
    new Map([
      [
        'raise',
        new Map([
          ['type', text.error.type],
          ['message', text.error.message],
        ]),
      ],
    ]),
  )
}
