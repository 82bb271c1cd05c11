import { profileNamed } from '@callspec/core/qwen-agent'
import type { AssistantMessage, ParseOutcome, Profile } from '@callspec/core/qwen-agent'
import { postprocessStopWords } from '@callspec/core/reference'
import { functionsImplementation, STRICT } from '@callspec/conformance'
import { formatImplementation } from '@callspec/conformance/built-in'
import type { ConformanceFunctions, Implementation, QuestionOptions } from '@callspec/conformance'
import type { ModuleFormat, WholeFormat } from '../formats.ts'
import { loadQwenTokenizer } from '@callspec/tokenizer-qwen'
import { checkOutcome } from '../parse/parse-text.ts'
import { TemplateError } from '../render/user-format.ts'

/**
 * A format of the user as an implementation, called in this process. As with the built-in formats, a reply in pieces is
 * read again with every piece, and cut at the format's stop words. It claims `strict`, the `profiles` that it has as
 * built-in formats have them, and those given.
 */
export function moduleImplementation(module: ModuleFormat | WholeFormat, profiles: readonly string[]): Implementation {
  if (module.kind === 'format') return formatImplementation(module.format, { name: module.path, version: '0' })
  const { format, path } = module
  const own = 'profiles' in format && Array.isArray(format.profiles) ? format.profiles.map(String) : []
  const claimed = profiles.length > 0 ? profiles : [STRICT, ...own]
  return functionsImplementation(functionsOf(module), {
    name: path,
    version: '0',
    formats: [format.id],
    profiles: claimed,
  })
}

function functionsOf(module: ModuleFormat): ConformanceFunctions {
  const { format } = module
  const { parse, render, stopWords } = format
  const read = (text: string, options: QuestionOptions): Promise<object> => reading(module, text, options)
  return {
    ...(parse === undefined ? {} : { parse: read, stream: streaming(read) }),
    ...(Array.isArray(stopWords) ? { stop: (text, options) => cut(text, options, stopWords as string[]) } : {}),
    ...(render === undefined
      ? {}
      : { render: (messages, options) => render.call(format, requestOf(messages, options)) }),
  }
}

type Reader = (text: string, options: QuestionOptions) => Promise<object>

/** What was read after each piece counts under the profiles of a version only. */
function streaming(read: Reader): NonNullable<ConformanceFunctions['stream']> {
  return async (chunks, options) => {
    const final = await read(chunks.join(''), options)
    if (profileIn(options) === null) return { final }
    const snapshots: object[] = []
    for (let count = 1; count <= chunks.length; count += 1) {
      snapshots.push(await read(chunks.slice(0, count).join(''), options))
    }
    return { snapshots, final }
  }
}

async function reading({ format, path }: ModuleFormat, text: string, options: QuestionOptions): Promise<object> {
  const thoughtInContent = options['thoughtInContent'] === true
  // What it throws is judged as with all functions; what is no outcome is a mistake.
  const given: unknown = await format.parse?.(text, {
    ...questionSettings(options),
    thoughtInContent,
    rawArguments: true,
  })
  const outcome = asMistake(() => checkOutcome(given, path))
  if (outcome.kind === 'parsed') return { items: outcome.messages.flatMap(itemsOf) }
  const { type, message } = outcome.error
  throw Object.assign(new Error(message), { name: type })
}

function asMistake(work: () => ParseOutcome): ParseOutcome {
  try {
    return work()
  } catch (error) {
    throw error instanceof TemplateError ? new TypeError(error.message) : error
  }
}

function itemsOf({ content, reasoning_content: thought, function_call: call }: Partial<AssistantMessage>): object[] {
  return [
    ...(typeof thought === 'string' && thought !== '' ? [{ type: 'reasoning', text: thought }] : []),
    ...(content === undefined || content === '' ? [] : [{ type: 'text', text: content }]),
    ...(call ? [{ type: 'call', name: call.name, arguments: call.arguments }] : []),
  ]
}

/** Without words in the question these are the words of the format. */
function cut(text: string, options: QuestionOptions, own: readonly string[]): string {
  const stop = Array.isArray(options['stop']) ? options['stop'].map(String) : own
  const profile = profileIn(options) ?? profileNamed('main')
  if (profile === null) return text
  const [message] = postprocessStopWords([{ role: 'assistant', content: [{ text }] }], { stop, profile, tokenizer })
  const content = message?.content ?? []
  return content.map((item) => item.text ?? '').join('')
}

const tokenizer = loadQwenTokenizer()

function requestOf(messages: readonly unknown[], options: QuestionOptions): object {
  const { tools = [], lang } = options as { readonly tools?: unknown; readonly lang?: unknown }
  return { messages, tools, language: lang === 'zh' ? 'zh' : 'en', ...questionSettings(options) }
}

/** Settings of both `parse` and `render`. `strict` is not a version of a reference, so it is the format's default. */
function questionSettings(options: QuestionOptions): object {
  const { parallelCalls, toolChoice, codeMode } = options as Readonly<Record<string, unknown>>
  return {
    parallelCalls: parallelCalls === true,
    toolChoice: toolChoice ?? 'auto',
    codeMode: codeMode === true,
    ...(profileIn(options) === null ? {} : { profile: options.profile }),
  }
}

function profileIn({ profile }: QuestionOptions): Profile | null {
  return profileNamed(profile)
}
