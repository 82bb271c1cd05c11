import { attempt, dumps, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { loads } from '@callspec/python/outcome'
import { forgeTemplate } from '../lint/lint-template.ts'
import type { TextSource } from '../source/template-source.ts'
import type { Tally } from './dataset-finding.ts'
import type { Sample } from './sample.ts'

/** Between signs, or a name in angle or square brackets. */
const CONTROL_TOKEN = /<[|｜][^\s<>]{1,40}[|｜]>|<\/?[a-z_]{1,30}>|\[\/?[A-Z_]{2,30}\]/g

/**
 * The control tokens of a template's vocabulary: those of its tokenizer, and what the template writes between texts of
 * users, calls and results.
 */
export function controlTokens({ template, tokens, specials }: TextSource): readonly string[] {
  const given = Object.keys(tokens).length === 0 ? {} : { tokens }
  const { attacks } = forgeTemplate({ source: template, ...given }, null)
  const written = attacks.flatMap(({ text }) => Array.from((text ?? '').matchAll(CONTROL_TOKEN), ([token]) => token))
  const all = [...specials, ...Object.values(tokens), ...written].filter((token) => token.trim().length > 2)
  return [...new Set(all)].toSorted((one, other) => other.length - one.length)
}

/** Finds control tokens in the texts of users and tools: a model that is trained on them learns to obey them. Linear. */
export function findMarkers({ where, messages }: Sample, pattern: RegExp, tally: Tally): void {
  for (const [index, message] of messages.entries()) {
    const role = message.get('role')
    if (role !== 'user' && role !== 'tool') continue
    for (const text of textsIn(message.get('content') ?? null)) {
      tally.count('texts')
      const at = text.search(pattern)
      if (at < 0) continue
      const around = text.slice(Math.max(0, at - BEFORE), at + AROUND)
      tally.add({ rule: 'marker-in-text', where, message: index, detail: { kind: 'message', role, text: around } })
    }
  }
}

const BEFORE = 12
const AROUND = 60

/** Matches each of the tokens, the longest first; nothing without tokens. */
export function tokenPattern(tokens: readonly string[]): RegExp {
  const escaped = tokens.map((token) => token.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  return escaped.length === 0 ? /(?!)/ : new RegExp(escaped.join('|'), 'g')
}

function textsIn(content: PyValue): readonly string[] {
  if (typeof content === 'string') return content === '' ? [] : [content]
  return isList(content) ? content.flatMap((part) => (isDict(part) ? textsIn(part.get('text') ?? null) : [])) : []
}

/**
 * The line of a data set with the first character of every control token in texts of users and tools as its JSON escape,
 * as Jinja's own `tojson` writes it: `\u003c|im_end|>`. Without such a token, the same line.
 */
export function escapeMarkers(line: string, pattern: RegExp): string {
  const read = loads(line)
  if (read.kind !== 'returned') return line
  const escaped = escapedSample(read.value, pattern)
  const written = escaped === read.value ? null : attempt(() => dumps(escaped))
  return written?.kind === 'returned' ? written.value : line
}

function escapedSample(value: PyValue, pattern: RegExp): PyValue {
  if (isList(value)) return escapedMessages(value, pattern)
  if (!isDict(value)) return value
  const key = value.has('messages') ? 'messages' : 'conversations'
  return withMember(value, key, (messages) => (isList(messages) ? escapedMessages(messages, pattern) : messages))
}

function escapedMessages(messages: readonly PyValue[], pattern: RegExp): PyValue {
  const escaped = messages.map((message) => {
    if (!isDict(message) || !OF_OTHERS.has(message.get('role') ?? message.get('from'))) return message
    return ['content', 'value'].reduce<PyDict>(
      (all, key) => withMember(all, key, (content) => escapedContent(content, pattern)),
      message,
    )
  })
  return escaped.every((message, index) => message === messages[index]) ? messages : escaped
}

/** Roles of the API and of ShareGPT. */
const OF_OTHERS: ReadonlySet<PyValue | undefined> = new Set([
  'user',
  'tool',
  'human',
  'observation',
  'function_response',
])

function escapedContent(content: PyValue, pattern: RegExp): PyValue {
  if (typeof content === 'string') {
    return content.replace(pattern, (token) => {
      const unit = token.charCodeAt(0).toString(16).padStart(4, '0')
      return `\\u${unit}${token.slice(1)}`
    })
  }
  if (!isList(content)) return content
  const parts = content.map((part) =>
    isDict(part)
      ? withMember(part, 'text', (text) => (typeof text === 'string' ? escapedContent(text, pattern) : text))
      : part,
  )
  return parts.every((part, index) => part === content[index]) ? content : parts
}

/** The dict with a member changed; the same dict if nothing changed. */
function withMember(dict: PyDict, key: string, change: (value: PyValue) => PyValue): PyDict {
  const before = dict.get(key)
  if (before === undefined) return dict
  const after = change(before)
  return after === before ? dict : new Map([...dict].map(([name, value]) => [name, name === key ? after : value]))
}
