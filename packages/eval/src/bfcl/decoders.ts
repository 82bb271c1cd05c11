import { isDict, isList, loads, str } from '@callspec/core'
import type { PyValue } from '@callspec/core'
import type { Protocol } from '../protocol.ts'
import { PROTOCOL_TABLE } from '../protocols/table.ts'
import { readLenientJson } from '../score/lenient-json.ts'
import type { Reading } from '../score/call-block.ts'
import { splitThought } from '../score/thought.ts'
import type { DecodedOutput } from './check-output.ts'
import { decodeHermes } from './decode-hermes.ts'
import { decodePython } from './decode-python.ts'

/** How the outputs of a file are decoded: as BFCL's own handler does it, and as leniently as the text allows. */
export interface BfclDecoder {
  readonly strict: (output: PyValue, options: DecodeOptions) => DecodedOutput
  /** `intent`: a call was meant, whether or not it can be read. */
  readonly lenient: (
    output: PyValue,
    options: DecodeOptions,
  ) => { readonly output: DecodedOutput; readonly intent: boolean }
}

export interface DecodeOptions {
  /** Whether arguments become text, as they do for Java and JavaScript. */
  readonly asText: boolean
}

/** The decoders by the name of the format that a file has. */
export const BFCL_DECODERS: Readonly<Record<string, BfclDecoder>> = {
  python: {
    strict: (output) => decodePython(textOf(output)),
    lenient: (output) => {
      const decoded = decodePython(listInside(textOf(output)))
      return {
        output: decoded,
        intent: decoded.kind === 'decoded' && isList(decoded.value) && decoded.value.length > 0,
      }
    },
  },
  hermes: {
    strict: (output, options) => decodeHermes(textOf(output), options),
    lenient: (output, options) => read('fncall-nous', output, options),
  },
  nous: textDecoder('fncall-nous'),
  qwen: textDecoder('fncall-qwen'),
  react: textDecoder('react'),
  native: {
    strict: (output, { asText }) => nativeCalls(output, asText, strictJson),
    lenient: (output, { asText }) => ({
      output: nativeCalls(output, asText, (text) => readLenientJson(text)?.value),
      intent: isList(output) && output.length > 0,
    }),
  },
}

function textDecoder(protocol: Protocol): BfclDecoder {
  const { dialect } = PROTOCOL_TABLE[protocol]
  return {
    strict: (output, { asText }) => decodedOf(dialect.readStrict(splitThought(textOf(output)).visible, null), asText),
    lenient: (output, options) => read(protocol, output, options),
  }
}

function read(protocol: Protocol, output: PyValue, { asText }: DecodeOptions): ReturnType<BfclDecoder['lenient']> {
  const reading = PROTOCOL_TABLE[protocol].dialect.readLenient(splitThought(textOf(output)).visible, null)
  return { output: decodedOf(reading, asText), intent: reading.intent }
}

function decodedOf({ calls }: Reading, asText: boolean): DecodedOutput {
  if (calls === null) return { kind: 'failed' }
  return { kind: 'decoded', value: calls.map(({ name, exact }) => wrapped(name, exact ?? null, asText)) }
}

function wrapped(name: string, args: PyValue, asText: boolean): PyValue {
  if (!asText || !isDict(args)) return new Map([[name, args]])
  return new Map([[name, new Map([...args].map(([key, value]) => [key, pythonText(value)]))]])
}

function pythonText(value: PyValue): string {
  const text = str(value)
  return text.kind === 'returned' ? text.value : ''
}

/** Calls as a server gave them: a list of names with their arguments, as an object or as JSON. */
function nativeCalls(output: PyValue, asText: boolean, json: (text: string) => PyValue | undefined): DecodedOutput {
  if (!isList(output)) return { kind: 'failed' }
  const calls: PyValue[] = []
  for (const item of output) {
    const [entry] = isDict(item) ? [...item] : []
    if (entry === undefined) return { kind: 'failed' }
    const args = typeof entry[1] === 'string' ? json(entry[1]) : entry[1]
    if (args === undefined) return { kind: 'failed' }
    calls.push(wrapped(entry[0], args, asText))
  }
  return { kind: 'decoded', value: calls }
}

function strictJson(text: string): PyValue | undefined {
  const value = loads(text)
  return value.kind === 'returned' ? value.value : undefined
}

/** The first list of calls in a text with prose, fences or escaped underscores around it; else the text. */
function listInside(output: string): string {
  const text = output.replaceAll('\\_', '_').replace(/^```\w*$/gm, '')
  const start = text.search(/\[\s*'?[A-Za-z_][\w.]*\(/)
  if (start < 0) return text
  const end = text.indexOf(')]', start)
  return end < 0 ? text : text.slice(start, end + 2)
}

function textOf(output: PyValue): string {
  return typeof output === 'string' ? output : ''
}
