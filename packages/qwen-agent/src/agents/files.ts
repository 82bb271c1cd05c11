import type { Message, Profile } from '@callspec/core/qwen-agent'
import { baseName, attempt } from '@callspec/python'

/**
 * The files for a tool that declares file access: file and image values of all messages, each once, in the order of
 * the items, then the files given to the agent (spec §13.4).
 */
export function filesForTool(messages: readonly Message[], agentFiles: readonly string[]): readonly string[] {
  return [...new Set(filesIn(messages, ['file', 'image'])), ...agentFiles]
}

/** The files that Memory reads: those given to the agent, then those of the messages; documents only, each once. */
export function filesForMemory(
  messages: readonly Message[],
  agentFiles: readonly string[],
  profile: Profile,
): readonly string[] {
  const files = new Set([...agentFiles, ...filesIn(messages, ['file'])])
  return [...files].filter((file) => isDocument(file, profile))
}

function filesIn(messages: readonly Message[], types: readonly ('file' | 'image')[]): readonly string[] {
  return messages.flatMap(({ content }) => {
    if (typeof content === 'string') return []
    return content.flatMap((item) => types.flatMap((type) => item[type] ?? []))
  })
}

/** Whatever an address of the web leads to is taken for a page; a local file must have the ending of a document. */
function isDocument(file: string, profile: Profile): boolean {
  const name = attempt(() => baseName(file))
  if (name.kind === 'raised') return false
  const type = name.value.split('.').at(-1) ?? ''
  return profile.documentTypes.includes(type.toLowerCase()) || /^https?:\/\//.test(file)
}
