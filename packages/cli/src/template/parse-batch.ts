import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { NamedInputs, TemplateReader } from '@callspec/response-template'
import { LineError, answerLine } from '@callspec/response-template'
import { readJson } from '@callspec/template/source'
import type { ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import { readSource } from '../input-file.ts'
import { UsageError } from '../usage-error.ts'
import { openLineWriter } from '../write-file.ts'
import { jsonText, readerFrom } from './parse.ts'
import { readResponseSource } from './response-source.ts'

/**
 * Answers every line `{id, op, input, template?}` of a file with `{id, actual}`, in the same order.
 *
 * @throws UsageError with file and line for a line that cannot be answered
 */
export async function runParseBatch(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  const [path, extra] = positionals
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}". With --batch only a SOURCE is given.`)
  const named = await namedInputs(options.list('templates'))
  const own = path === undefined ? null : (await readResponseSource(path)).value
  const { name, text } = await readSource(options.text('batch') ?? '-')
  const answers = answersTo({ name, text, own, named, reader: readerFrom(options) })
  const target = options.text('output')
  if (target === null) {
    for (const answer of answers) output.verbatim(`${answer}\n`)
    return EXIT.ok
  }
  const writer = await openLineWriter(target)
  try {
    for (const answer of answers) await writer.write(answer)
    await writer.commit()
  } finally {
    await writer.discard()
  }
  return EXIT.ok
}

interface BatchRequest {
  readonly name: string
  readonly text: string
  /** The template for lines that name none. */
  readonly own: PyValue
  readonly named: NamedInputs
  readonly reader: TemplateReader
}

function* answersTo({ name, text, own, named, reader }: BatchRequest): Generator<string> {
  let number = 0
  for (const source of text.split('\n')) {
    number += 1
    if (source.trim() === '') continue
    const where = `${name}:${number}`
    const line = readJson(source, where)
    if (!isDict(line) || !line.has('id')) throw new UsageError(`${where}: needs "id", "op" and "input".`)
    const actual = answered(withOwn(line, own), { named, reader, where })
    yield jsonText(
      new Map([
        ['id', line.get('id') ?? null],
        ['actual', actual],
      ]),
    )
  }
}

function withOwn(line: PyDict, own: PyValue): PyDict {
  const input = line.get('input')
  if (own === null || line.has('template') || !isDict(input) || input.has('template')) return line
  return new Map([...line, ['input', new Map([...input, ['template', own]])]])
}

function answered(
  line: PyDict,
  { named, reader, where }: Pick<BatchRequest, 'named' | 'reader'> & { readonly where: string },
): PyValue {
  try {
    return answerLine(line, named, reader)
  } catch (error) {
    if (error instanceof LineError) throw new UsageError(`${where}: ${error.message}`)
    throw error
  }
}

/** Templates and schemas by id, and tools by name, from files as the public vectors have them. */
async function namedInputs(paths: readonly string[]): Promise<NamedInputs> {
  const templates = new Map<string, PyValue>()
  const tools = new Map<string, PyValue>()
  const schemas = new Map<string, PyValue>()
  for (const path of paths) {
    const { name, text } = await readSource(path)
    const value = readJson(text, name)
    const list = isDict(value) ? (value.get('templates') ?? null) : value
    if (!isList(list))
      throw new UsageError(`${name}: needs a list of {"id", "template"}, or {"templates": [...], "tools": {...}}.`)
    for (const entry of list) addNamed(entry, { templates, schemas, name })
    const named = isDict(value) ? (value.get('tools') ?? null) : null
    if (isDict(named)) for (const [tool, given] of named) tools.set(tool, given)
  }
  return { templates, tools, schemas }
}

function addNamed(
  entry: PyValue,
  into: { readonly templates: Map<string, PyValue>; readonly schemas: Map<string, PyValue>; readonly name: string },
): void {
  const id = isDict(entry) ? (entry.get('id') ?? null) : null
  if (!isDict(entry) || typeof id !== 'string') throw new UsageError(`${into.name}: an entry has no "id".`)
  const template = entry.get('template')
  const schema = entry.get('schema')
  if (template !== undefined) into.templates.set(id, template)
  if (schema !== undefined) into.schemas.set(id, schema)
}
