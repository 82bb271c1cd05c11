import type { Conversation, TokenInText } from '@callspec/core'
import { formatNamed, joinParts, tokensInText } from '@callspec/core'
import { formats } from '@callspec/core/qwen-agent'
import type { PyValue } from '@callspec/python'
import { dumps, isDict, isList } from '@callspec/python'
import type { Command, ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import type { ChosenFormat } from '../formats.ts'
import { chooseFormat, EXAMPLE_FORMAT, WHICH_FORMAT } from '../formats.ts'
import { refuseFormatCode } from '../found-files.ts'
import { readSource } from '../input-file.ts'
import { escapeLoneSurrogates, quotedLine, sentence } from '../output.ts'
import { renderFile } from '../render/built-in.ts'
import type { Shape } from '../render/prompt.ts'
import { writePrompt } from '../render/prompt.ts'
import type { Rejection, Rendering } from '../render/user-format.ts'
import { TemplateError } from '../render/user-format.ts'
import type { RequestFile } from '../request/request-file.ts'
import { droppedMembers, readRequestFile } from '../request/request-file.ts'
import { checkSettings, GENERATE_CFG, mergeSettings, RENDER_SETTINGS, settingOptions } from '../request/settings.ts'
import { UsageError } from '../usage-error.ts'
import { writeFileAtomically } from '../write-file.ts'

export const renderCommand: Command = {
  name: 'render',
  usage: ['render FILE [options]', 'render - [options]    read standard input'],
  about:
    `Renders messages and tools to the exact prompt. For ${Object.keys(formats).join(', ')}: the input that the chat call of Qwen-Agent sends to its client, in ` +
    'the chosen version (default system message, upload notes, calls and results as text, tool section, ' +
    'continuation), truncated only on request. For ReActChat, calls and results after the last user ' +
    'message become steps of the last prompt, which the agent has extended by then. FILE is JSON5 with "messages" and "tools"; every setting ' +
    'below is also a key of the file (function_choice: "none"), and the command line wins. Keys without an option: code_mode, ' +
    'multimodal, audio, client, raw_api, allow_special, max_input_tokens (docs/prompts.md). A key "generate_cfg" holds further ' +
    'settings of the chat call; options and keys win over it.',
  maxPositionals: 1,
  options: {
    ...settingOptions(RENDER_SETTINGS, { file: 'FILE' }),
    lint: {
      help: 'Warn on standard error where a text of a user, a tool or the system spells a marker of the format (token-in-text).',
    },
    'refuse-tokens': { help: 'Render nothing if one does: one line, and exit code 1.' },
    output: { short: 'o', value: 'FILE', help: 'Write the prompt to FILE instead of standard output.' },
  },
  examples: [
    `callspec render request.json5 --format ${EXAMPLE_FORMAT} --as chatml`,
    `callspec render request.json5 --format ${EXAMPLE_FORMAT} --lang zh -o prompt.json`,
  ],
  notes: [
    'The default shape is messages: JSON with a line break at the end. text and chatml are written byte for byte; ' +
      'only on a terminal a line break is added. text separates several contents by an empty line.',
    'Exit codes: 0 rendered; 1 the chosen version raises an exception here, printed as JSON, or a text spells a marker and ' +
      '--refuse-tokens was given; 2 the request is wrong.',
  ],
  run: printPrompt,
}

async function printPrompt({ positionals, options, output }: Invocation): Promise<ExitCode> {
  const [path] = positionals
  if (path === undefined) throw new UsageError('callspec render needs a FILE, or - for standard input.')
  const file = readRequestFile(await readSource(path))
  const settings = mergeSettings(options, file)
  if (options.text('format') === null) refuseFormatCode(settings.text('format'), file.name)
  const chosen = await chooseFormat(formatId(settings.text('format')), settings.text('profile'))
  if (chosen.kind !== 'format') checkSettings(RENDER_SETTINGS, file, [GENERATE_CFG])
  const rendering = await renderFile(file, settings, chosen).catch(asUsageError)
  if (chosen.kind === 'built-in') for (const line of droppedMembers(file)) output.warn(line)
  const shaped = inShape(
    rendering,
    (settings.text('as') ?? (chosen.kind === 'format' ? 'text' : 'messages')) as Shape,
    { name: file.name, specials: chosen.kind === 'format' ? (chosen.format.specialTokens?.tokens ?? []) : [] },
  )
  if (shaped.kind === 'rejected') {
    output.verbatim(rejectionJson(shaped.error))
    output.note(`callspec: ${file.name}: ${describeRejection(shaped, chosen)}`)
    return EXIT.disagreement
  }
  if (options.flag('lint') || options.flag('refuse-tokens')) {
    const [first, ...rest] = findTokens(file, chosen, rendering)
    if (first !== undefined && options.flag('refuse-tokens')) {
      output.note(`callspec: ${tokenRefusal([first, ...rest], file.name)}`)
      return EXIT.disagreement
    }
    if (first !== undefined)
      for (const line of describeTokens([first, ...rest], file.name)) output.note(`callspec: ${line}`)
  }
  const unseen = await unseenTools(file, rendering, (without) => renderFile(without, settings, chosen))
  if (unseen !== null) output.warn(unseen)
  const { text } = shaped
  const target = options.text('output')
  if (target !== null) await writeFileAtomically(target, text)
  else output.verbatim(text)
  return EXIT.ok
}

function formatId(name: string | null): string {
  if (name !== null) return name
  throw new UsageError(`Which format? ${WHICH_FORMAT}; or "format" in the file.`)
}

/** The user's template failed: a mistake of its author. */
function asUsageError(error: unknown): never {
  throw error instanceof TemplateError ? new UsageError(error.message) : error
}

function inShape(
  rendering: Rendering,
  shape: Shape,
  { name, specials }: { readonly name: string; readonly specials: readonly string[] },
): ReturnType<typeof writePrompt> {
  try {
    return writePrompt(rendering, shape, specials)
  } catch (error) {
    throw error instanceof TemplateError ? new UsageError(`${name}: ${error.message}`) : error
  }
}

function describeRejection({ error }: Rejection, chosen: ChosenFormat): string {
  if (chosen.kind === 'format')
    return `${chosen.format.id} refuses this: ${sentence(error.message)} Nothing was rendered.`
  const who = chosen.kind === 'built-in' ? `qwen-agent@${chosen.profile.name}` : chosen.path
  return `${who} raises ${error.type} here; nothing was rendered.`
}

const MAX_LISTED_TOKENS = 20

/**
 * The places where a text of a request spells a marker of the format.
 *
 * @throws UsageError for a user's format, because its markers are unknown
 */
export function findTokens(file: RequestFile, chosen: ChosenFormat, rendering: Rendering): readonly TokenInText[] {
  const format = chosen.kind === 'format' ? chosen.format : chosen.kind === 'built-in' ? formatNamed(chosen.id) : null
  if (format === null)
    throw new UsageError('--lint and --refuse-tokens need a format of callspec: the markers of others are not known.')
  return tokensInText(format, conversationIn(file), rendering.kind === 'parts' ? rendering.parts : [])
}

/** The texts of the request. Rendering already reported what is wrong with it. */
function conversationIn({ members }: RequestFile): Conversation {
  const [messages, tools, own] = ['messages', 'tools', 'conversation'].map((key) => members.get(key)?.value ?? null)
  return {
    messages: isList(messages) ? messages.filter(isDict) : [],
    tools: isList(tools) ? tools : null,
    options: new Map([['conversation', own ?? null]]),
  }
}

/** A line per place, without the name of the program. */
export function describeTokens(found: readonly TokenInText[], name: string): readonly string[] {
  const lines = found.slice(0, MAX_LISTED_TOKENS).map((each) => `${name}: token-in-text: ${tokenPlace(each)}`)
  const rest = found.length - lines.length
  return rest === 0 ? lines : [...lines, `${name}: token-in-text: ${rest} more`]
}

/** One line for all places. */
export function tokenRefusal([first, ...rest]: readonly [TokenInText, ...TokenInText[]], name: string): string {
  const others = rest.length === 0 ? '' : ` (and ${rest.length} more)`
  return `${name}: ${tokenPlace(first)}${others}. Nothing was rendered (--refuse-tokens).`
}

function tokenPlace({ where, token, start, end }: TokenInText): string {
  return `${where} spells ${JSON.stringify(token)} at ${start}–${end}`
}

/**
 * A warning if a prompt is the same with and without its tools; else null. Some makers' templates ignore tools, or expect them elsewhere.
 *
 * @param render renders a request in the same format and settings
 */
export async function unseenTools(
  file: RequestFile,
  rendering: Rendering,
  render: (without: RequestFile) => Promise<Rendering>,
): Promise<string | null> {
  const listed = file.members.get('tools')
  const tools = listed?.value ?? null
  if (rendering.kind !== 'parts' || listed === undefined || !isList(tools) || tools.length === 0) return null
  const members = new Map([...file.members].filter(([name]) => name !== 'tools'))
  const absent = await render({ ...file, members })
  // Some templates fail without tools, but accept an empty list.
  const empty = { ...listed, value: [] }
  const bare = absent.kind === 'parts' ? absent : await render({ ...file, members: members.set('tools', empty) })
  if (bare.kind !== 'parts' || joinParts(bare.parts) !== joinParts(rendering.parts)) return null
  const [first = '', ...rest] = tools.map(requestToolName)
  const all = rest.length === 0 ? quotedLine(first) : `${quotedLine(first)} and ${rest.length} more`
  return `${file.name}: the prompt of this format does not show its tools: ${all}. Write them into a message for the model to know them.`
}

function requestToolName(tool: PyValue): string {
  const inner = isDict(tool) ? (tool.get('function') ?? tool) : null
  const name = isDict(inner) ? inner.get('name') : null
  return typeof name === 'string' ? name : 'one without a name'
}

/** An exception of the reference as JSON with a line break: `{"kind": "rejected", "error": {"type": …, "message": …}}`. */
export function rejectionJson(error: { readonly type: string; readonly message: string }): string {
  const value = new Map<string, PyValue>([
    ['kind', 'rejected'],
    [
      'error',
      new Map([
        ['type', error.type],
        ['message', error.message],
      ]),
    ],
  ])
  return `${escapeLoneSurrogates(dumps(value, { indent: 2 }))}\n`
}
