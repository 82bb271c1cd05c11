import { apiOf, API_LAWS, APIS, CLIENT_NOTES, eventsOf, NoReply, readReply, TOLERATED } from '@callspec/apis'
import type { Api, ApiBreach, ApiItem, ApiReply, SentEvent } from '@callspec/apis'
import { leftCallIn } from '@callspec/eval/replies'
import { dumps, isDict, loads } from '@callspec/python'
import type { Command, ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import { readSource } from '../input-file.ts'
import { inert, quotedLine } from '../output.ts'
import { UsageError } from '../usage-error.ts'

export const replyCommand: Command = {
  name: 'reply',
  usage: ['reply FILE [--api API]', 'reply [-] [--api API]    read standard input', 'reply --batch FILE'],
  about:
    'Reads one reply of a server, as it came: the JSON of a whole reply, or a stream of server-sent events, of /v1/chat/completions, ' +
    '/v1/messages or /v1/responses. Prints what it says (reasoning, text, calls), how it ended, and which laws of its API it breaks, ' +
    'each with its place and the events around it. A batch has a reply in each line.',
  maxPositionals: 1,
  options: {
    api: {
      value: 'API',
      choices: APIS,
      help: 'The API that the reply is of. Without it, members that only one API has decide.',
    },
    json: { help: 'Print the reply as JSON.' },
    batch: {
      value: 'FILE',
      help: 'JSON Lines of id, api, and body (JSON) or sse (text). Answers each line: id, items, finish, usage, breaks; or id, error.',
    },
  },
  examples: ['callspec reply answer.sse', 'curl -sN … | callspec reply - --api messages --json'],
  notes: [
    'Exit codes: 0 no law is broken, or only one that all clients tolerate; 1 a law is broken; 2 misuse. A batch exits with 0.',
  ],
  run: printReply,
}

const OPTIONS = { holdsCall: (text: string): boolean => leftCallIn(text)?.isWhole === true }

async function printReply(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  const batch = options.text('batch')
  if (batch !== null) {
    if (positionals.length > 0) throw new UsageError('--batch has the replies: give no FILE next to it.')
    return printBatch(batch, invocation)
  }
  const { name, text } = await readSource(positionals[0] ?? '-')
  const { api, events, reply } = readNamed(name, text, options.text('api'))
  if (options.flag('json')) output.line(JSON.stringify({ api, ...answerOf(reply), ...detailsOf(reply) }))
  else for (const line of replyLines({ api, events, reply })) output.line(line)
  return reply.breaches.every(({ law }) => TOLERATED.has(law)) ? EXIT.ok : EXIT.disagreement
}

interface ReadReply {
  readonly api: Api
  readonly events: readonly SentEvent[]
  readonly reply: ApiReply
}

function readNamed(name: string, text: string, given: string | null): ReadReply {
  try {
    const events = eventsOf(text)
    const api = APIS.find((each) => each === given) ?? apiOf(text)
    if (api === null)
      throw new UsageError(`${name}: no member tells which API it is of. Give --api with one of ${APIS.join(', ')}.`)
    return { api, events, reply: readReply(text, api, OPTIONS) }
  } catch (error) {
    if (error instanceof NoReply) throw new UsageError(`${name}: ${error.message}. Give a reply as the server sent it.`)
    throw error
  }
}

function answerOf({ items, finish, usage, breaches }: ApiReply): object {
  return { items, finish, usage, breaks: breaches.map(({ law }) => law) }
}

function detailsOf({ error, breaches, unknown }: ApiReply): object {
  return { error, unknown, breaches: breaches.map((breach) => ({ ...breach, says: API_LAWS[breach.law] })) }
}

async function printBatch(path: string, { output }: Invocation): Promise<ExitCode> {
  const { name, text } = await readSource(path)
  let number = 0
  for (const line of text.split('\n')) {
    number += 1
    if (line.trim() !== '') output.write(`${JSON.stringify(answerTo(line, `${name}:${number}`))}\n`)
  }
  return EXIT.ok
}

function answerTo(line: string, where: string): object {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { id: null, error: `${where}: the line is not JSON.` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { id: null, error: `${where}: the line is not an object.` }
  const { id = null, api: given, body, sse } = value as Readonly<Record<string, unknown>>
  const api = APIS.find((each) => each === given)
  if (api === undefined) return { id, error: `${where}: "api" must be one of ${APIS.join(', ')}.` }
  if (typeof sse !== 'string' && body === undefined) return { id, error: `${where}: there is no "body" and no "sse".` }
  try {
    return { id, ...answerOf(readReply(typeof sse === 'string' ? sse : wholeOf(line, body), api, OPTIONS)) }
  } catch (error) {
    if (error instanceof NoReply) return { id, error: `${where}: ${error.message}.` }
    throw error
  }
}

/** The reply with its numbers as they are written in the line. */
function wholeOf(line: string, body: unknown): string {
  const value = loads(line)
  const member = isDict(value) ? value.get('body') : undefined
  return member === undefined ? JSON.stringify(body) : dumps(member)
}

function replyLines({ api, events, reply }: ReadReply): readonly string[] {
  const { items, finish, usage, error, breaches, unknown } = reply
  const form = events.length === 0 ? 'whole' : `${events.length} events`
  const tokens = usage === null ? 'no usage' : `${usage.input ?? '?'} + ${usage.output ?? '?'} tokens`
  return [
    `${api}, ${form}, finish ${finish === null ? 'missing' : quoted(finish)}, ${tokens}`,
    ...items.map((item) => `  ${item.kind.padEnd(9)}  ${shown(item)}`),
    ...(error === null ? [] : [`  error      ${quotedLine(error, 200)}`]),
    ...(unknown === 0 ? [] : [`${unknown} events of types that the API does not have were ignored.`]),
    ...(breaches.length === 0 ? ['No law is broken.'] : breaches.flatMap((breach) => breachLines(breach, events))),
  ]
}

function quoted(word: string): string {
  return /^[a-z_]{1,40}$/.test(word) ? word : quotedLine(word, 40)
}

function shown(item: ApiItem): string {
  if (item.kind !== 'call') return quotedLine(item.text, 200)
  const id = item.id === '' ? 'without id' : quotedLine(item.id, 60)
  return `${quotedLine(item.name, 60)} ${quotedLine(item.arguments, 200)} (${id})`
}

const AROUND = 160

function breachLines({ law, event, evidence, times }: ApiBreach, events: readonly SentEvent[]): readonly string[] {
  const place = event === 0 ? 'at the end' : `event ${event}`
  const often = times === 1 ? '' : `, ${times} times`
  const note = CLIENT_NOTES[law]
  return [
    `${law}  ${API_LAWS[law]}`,
    `    ${place}: ${inert(evidence)}${often}`,
    ...[event - 1, event, event + 1].flatMap((number) => {
      const at = events[number - 1]
      if (event === 0 || at === undefined) return []
      return [`    ${number === event ? '>' : ' '} ${number} ${quotedLine(at.data, AROUND)}`]
    }),
    ...(note === undefined ? [] : [`    ${note}`]),
  ]
}
