import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PyDict, PyValue } from '@callspec/python'
import { InputError, isDict, isList } from '@callspec/python'
import type { TemplateError } from '@callspec/template'
import { compileTemplate } from '@callspec/template'
import type { TemplateFiles, TemplateSource, ByteReader, VariableSettings } from '@callspec/template/source'
import { chooseTemplate, readTemplateFile, readJson } from '@callspec/template/source'
import type { Invocation, Options } from '../command.ts'
import { refusePipe, readSource } from '../input-file.ts'
import { quotedLine } from '../output.ts'
import { systemCode, UsageError, messageOf } from '../usage-error.ts'

/** The values of `SOURCE_OPTIONS`, and the environment for keys. */
export type SourceInvocation = Pick<Invocation, 'options' | 'environment'>

/**
 * Opens a source: the file of a template, a tokenizer's configuration or its folder, a GGUF, or the address of a server.
 *
 * @throws UsageError or InputError, one line, for a source that is missing, broken or has no template
 */
export async function openTemplateSource(source: string, invocation: SourceInvocation): Promise<TemplateSource> {
  if (/^https?:\/\//i.test(source)) {
    // Loaded late: the code for servers takes longer to load than a template to render.
    const { openServer } = await import('./server.ts')
    return openServer(source, invocation)
  }
  return chooseTemplate(source, await readTemplateFile(source, FILES), invocation.options.text('name'))
}

/**
 * Opens a source to render prompts.
 *
 * @throws UsageError for a template that does not compile
 */
export async function openCompiledSource(path: string, invocation: SourceInvocation): Promise<TemplateSource> {
  const source = await openTemplateSource(path, invocation)
  const error = source.kind === 'text' ? compileTemplate(source.template).error : null
  if (error !== null) throw new UsageError(raiseText(sourceLocation(source), error))
  return source
}

const FILES: TemplateFiles = {
  list: async (path) => {
    const found = await stat(path).catch(() => null)
    if (found?.isDirectory() !== true) return null
    try {
      return (await readdir(path)).toSorted()
    } catch (error) {
      throw new UsageError(`${path}: cannot be listed (${systemCode(error) ?? 'unknown error'})`)
    }
  },
  join,
  text: async (path) => (await readSource(path)).text,
  regularText: async (path) => {
    await refusePipe(path)
    return (await readSource(path)).text
  },
  bytes: openByteReader,
}

/** Whether the user's input caused the error. */
export function isSourceError(error: unknown): error is UsageError | InputError {
  return error instanceof UsageError || error instanceof InputError
}

/** The location and the message of an error, in one line. */
export function raiseText(
  { name, place }: { readonly name: string; readonly place: string },
  error: TemplateError,
): string {
  const { type, message, line, column } = error
  const at = [line, column].filter((each) => each !== undefined)
  const spot = place === '' ? [name, ...at].join(':') : [`${name}: ${place}`, ...at].join(':')
  return `${spot}: ${type}: ${quotedLine(message, 300)}`
}

/** The name and place of a source for `raiseText`. */
export function sourceLocation(source: TemplateSource): { readonly name: string; readonly place: string } {
  return { name: source.name, place: source.kind === 'text' ? source.place : '' }
}

const READ_BYTES = 1 << 20

/** @throws UsageError for a file that cannot be opened or is not a regular file */
export function openByteReader(path: string): ByteReader {
  const file = openRegularFile(path)
  const { size } = fstatSync(file)
  let buffer = Buffer.alloc(0)
  let [offset, next] = [0, 0]
  const left = (): number => size - next + (buffer.length - offset)
  const fill = (length: number): void => {
    const kept = buffer.subarray(offset)
    const larger = Buffer.alloc(Math.max(length, READ_BYTES))
    kept.copy(larger)
    const read = readSync(file, larger, kept.length, larger.length - kept.length, next)
    next += read
    buffer = larger.subarray(0, kept.length + read)
    offset = 0
  }
  const take = (length: number): Buffer | null => {
    if (length > left()) return null
    if (buffer.length - offset < length) fill(length)
    const taken = buffer.subarray(offset, offset + length)
    offset += length
    return taken.length === length ? taken : null
  }
  const skip = (length: number): boolean => {
    if (length > left()) return false
    const buffered = Math.min(length, buffer.length - offset)
    offset += buffered
    next += length - buffered
    return true
  }
  const takeText = (length: number): string | null => take(length)?.toString('utf8') ?? null
  return { left, take, takeText, skip, close: () => closeSync(file) }
}

function openRegularFile(path: string): number {
  try {
    // A named pipe opens at once, too, to be refused; otherwise its writer would be waited for.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    if (fstatSync(file).isFile()) return file
    closeSync(file)
  } catch (error) {
    const code = systemCode(error)
    throw new UsageError(
      code === 'ENOENT' ? `${path}: no such file.` : `${path}: cannot be read (${code ?? messageOf(error)})`,
    )
  }
  throw new UsageError(`${path}: is not a regular file. A GGUF is read only from one.`)
}

/**
 * The variables of `--set`, `--no-generation-prompt` and `--now`.
 *
 * @throws UsageError for a `--set` that is not `NAME=JSON`, and for a `--now` that is not a time
 */
export function variableSettings(options: Options): VariableSettings {
  const prompt = options.choice('generation-prompt')
  const given = options.list('set').map(settingOf)
  const forced = new Map(prompt === null ? given : [['add_generation_prompt', prompt], ...given])
  return { forced, now: nowFrom(options.text('now')) }
}

function settingOf(text: string): readonly [string, PyValue] {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError(`--set "${quotedLine(text)}" is not NAME=JSON. Write --set enable_thinking=false.`)
  try {
    return [name, readJson(value, `--set ${name}`)]
  } catch (error) {
    if (!(error instanceof InputError) || !/^\w/.test(value)) throw error
    throw new UsageError(`${error.message} Put a text in double quotes: --set '${name}=${JSON.stringify(value)}'.`)
  }
}

/** A time without an offset is UTC, like the time that `strftime_now` shows. */
function nowFrom(text: string | null): Date {
  if (text === null) return new Date()
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
  const isBare = /T[^Z+-]*$/.test(text)
  const now = new Date(isBare ? `${text}Z` : text)
  if (isTime && !Number.isNaN(now.getTime())) return now
  throw new UsageError(`--now "${quotedLine(text)}" is not a time. Write it as 2026-01-15T12:00:00Z.`)
}

/**
 * Reads the variables of a rendering: an object, or a list of messages.
 *
 * @throws UsageError for any other file
 */
export async function readVariablesFile(path: string): Promise<PyDict> {
  const { name, text } = await readSource(path)
  const value = readJson(text, name)
  if (isDict(value)) return value
  if (isList(value) && value.every(isDict)) return new Map([['messages', value]])
  throw new UsageError(`${name}: neither an object of variables nor a list of messages.`)
}
