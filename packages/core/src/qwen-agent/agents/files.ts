import type { Message } from '../../message.ts'
import { baseName } from '../../python/base-name.ts'
import { attempt } from '../../raise.ts'

/** What Memory can read. */
const DOCUMENT_TYPES: readonly string[] = ['pdf', 'docx', 'pptx', 'txt', 'html', 'csv', 'tsv', 'xlsx', 'xls']

/**
 * The files for a tool that declares file access: file and image values of all messages, each once, in the order of
 * the items, then the files given to the agent (spec §13.4).
 */
export function filesForTool(messages: readonly Message[], agentFiles: readonly string[]): readonly string[] {
  return [...new Set(filesIn(messages, ['file', 'image'])), ...agentFiles]
}

/** The files that Memory reads: those given to the agent, then those of the messages; documents only, each once. */
export function filesForMemory(messages: readonly Message[], agentFiles: readonly string[]): readonly string[] {
  return [...new Set([...agentFiles, ...filesIn(messages, ['file'])])].filter(isDocument)
}

function filesIn(messages: readonly Message[], types: readonly ('file' | 'image')[]): readonly string[] {
  return messages.flatMap(({ content }) => {
    if (typeof content === 'string') return []
    return content.flatMap((item) => types.flatMap((type) => item[type] ?? []))
  })
}

function isDocument(file: string): boolean {
  const name = attempt(() => baseName(file))
  if (name.kind === 'raised') return false
  const type = name.value.split('.').at(-1) ?? ''
  return DOCUMENT_TYPES.includes(type.toLowerCase())
}
