import type { Message, Profile } from '@callspec/core/qwen-agent'
import { dumpMessage } from '@callspec/core/qwen-agent'
import type { PyDict, PyValue } from '@callspec/python'
import { baseName, fill, loads, loadsJson5, str, strip, isDict, isList, attempt, Raise } from '@callspec/python'
import { checkHasMessages } from './agent.ts'

/** One source of knowledge. The content is a text, unless the knowledge was unreadable and no text. */
export interface KnowledgeEntry {
  readonly source: string
  readonly content: PyValue
}

export type Language = 'en' | 'zh'

/** The label of knowledge without a source, in English prompts too (spec §16 Q6). */
const UPLOADED_DOCUMENT = '上传的文档'
const BETWEEN_PARTS = '\n\n...\n\n'

const SNIPPET = {
  zh: '## 来自 {source} 的内容：\n\n```\n{content}\n```',
  en: '## The content from {source}:\n\n```\n{content}\n```',
} as const

const BLOCK_TITLE = { zh: '# 知识库\n\n', en: '# Knowledge Base\n\n' } as const

/**
 * Reads knowledge (spec §13.1): a list of `{"url", "text": [...]}`, as a value or as JSON text, gives an entry for each
 * element; anything else is one entry of an unnamed document. Never throws.
 */
export function formatKnowledge(knowledge: PyValue, profile: Profile): readonly KnowledgeEntry[] {
  const stripped = typeof knowledge === 'string' ? strip(knowledge) : knowledge
  const read = attempt(() => knowledgeEntries(typeof stripped === 'string' ? parse(stripped, profile) : stripped))
  return read.kind === 'returned' ? read.value : [{ source: UPLOADED_DOCUMENT, content: stripped }]
}

/** The knowledge block of a system message; null when there are no entries. */
export function knowledgePrompt(entries: readonly KnowledgeEntry[], language: Language): string | null {
  if (entries.length === 0) return null
  const snippets = entries.map(({ source, content }) => fill(SNIPPET[language], { source, content: str(content) }))
  return BLOCK_TITLE[language] + snippets.join('\n\n')
}

/**
 * The messages with the knowledge block at the end of the first system message, or as a new system message.
 *
 * @throws Raise `AttributeError` where the profile breaks a system message of items; see `dumpWithKnowledge`.
 *   `IndexError` where it misses a first message
 */
export function withKnowledge(messages: readonly Message[], block: string, profile: Profile): readonly Message[] {
  checkHasMessages(messages, profile)
  const [first, ...rest] = messages
  if (first?.role !== 'system') return [{ role: 'system', content: block }, ...messages]
  const addition = `\n\n${block}`
  if (typeof first.content === 'string') return [{ ...first, content: first.content + addition }, ...rest]
  if (profile.knowledgeIntoItems === 'one-item') {
    return [{ ...first, content: [...first.content, { text: addition }] }, ...rest]
  }
  throw new Raise('AttributeError', "'str' object has no attribute 'get_type_and_value'")
}

/**
 * What `withKnowledge` gives, as maps. Older profiles add the text to a list of items character by character, which no
 * message can hold; the reference only fails when the list is used.
 */
export function dumpWithKnowledge(messages: readonly Message[], block: string, profile: Profile): readonly PyDict[] {
  const [first, ...rest] = messages
  const breaksItems = profile.knowledgeIntoItems === 'characters'
  if (first?.role !== 'system' || typeof first.content === 'string' || !breaksItems) {
    return withKnowledge(messages, block, profile).map((message) => dumpMessage(message, profile))
  }
  const dump = new Map(dumpMessage(first, profile))
  const items = dump.get('content')
  dump.set('content', [...(isList(items ?? null) ? (items as readonly PyValue[]) : []), ...`\n\n${block}`])
  return [dump, ...rest.map((message) => dumpMessage(message, profile))]
}

function parse(text: string, profile: Profile): PyValue {
  return profile.knowledgeReader === 'json5' ? loadsJson5(text) : loads(text)
}

function knowledgeEntries(documents: PyValue): readonly KnowledgeEntry[] {
  if (!isList(documents)) throw new Raise('AssertionError', '')
  return documents.map((document) => {
    const url = isDict(document) ? document.get('url') : undefined
    const parts = isDict(document) ? document.get('text') : undefined
    if (typeof url !== 'string' || !isList(parts ?? null)) throw new Raise('AssertionError', '')
    return { source: `[文件](${baseName(url)})`, content: joinedText(parts as readonly PyValue[]) }
  })
}

function joinedText(parts: readonly PyValue[]): string {
  return parts
    .map((part) => {
      if (typeof part !== 'string') throw new Raise('TypeError', 'expected str instance')
      return part
    })
    .join(BETWEEN_PARTS)
}
