import { UsageError } from '../../usage-error.ts'
import { openByteReader } from './byte-reader.ts'
import { GgufFault, readGgufMetadata } from './gguf-metadata.ts'
import type { GgufMetadata } from './gguf-metadata.ts'
import { DEFAULT_NAME } from './template-source.ts'
import type { NamedTemplate, SpecialTokens, TemplateFile } from './template-source.ts'

const TEMPLATE = 'tokenizer.chat_template'

/**
 * Reads the chat templates and special tokens of a GGUF; the tensors, nearly all of the file, are not touched.
 *
 * @throws UsageError for a file that is missing, cut, no GGUF, or has no template
 */
export function readGguf(path: string): TemplateFile {
  const metadata = withFile(path)
  const templates = templatesIn(metadata)
  if (templates.length > 0) {
    const { tokens, specials } = tokensIn(metadata)
    return { templates, tokens, specials }
  }
  const shards = metadata.numbers.get('split.count') ?? 1
  const hint = shards > 1 ? ` It is one of ${shards} parts: give the first one.` : ''
  throw new UsageError(`${path}: has no ${TEMPLATE} in its metadata.${hint}`)
}

function withFile(path: string): GgufMetadata {
  const reader = openByteReader(path)
  try {
    return readGgufMetadata(reader)
  } catch (error) {
    if (error instanceof GgufFault) throw new UsageError(`${path}: ${error.message}`)
    throw error
  } finally {
    reader.close()
  }
}

function templatesIn({ texts }: GgufMetadata): readonly NamedTemplate[] {
  return [...texts].flatMap(([key, text]) => {
    if (key === TEMPLATE) return [{ name: DEFAULT_NAME, place: key, text }]
    if (key.startsWith(`${TEMPLATE}.`)) return [{ name: key.slice(TEMPLATE.length + 1), place: key, text }]
    return []
  })
}

const TOKEN_VARIABLES: Readonly<Record<string, string>> = {
  bos_token: 'tokenizer.ggml.bos_token_id',
  eos_token: 'tokenizer.ggml.eos_token_id',
  unk_token: 'tokenizer.ggml.unknown_token_id',
  pad_token: 'tokenizer.ggml.padding_token_id',
}

/** Types of llama.cpp's vocabulary whose text becomes one token wherever special tokens are read. */
const CONTROL = 3

function tokensIn({ numbers, vocabulary, tokenTypes }: GgufMetadata): {
  readonly tokens: SpecialTokens
  readonly specials: readonly string[]
} {
  const entries = Object.entries(TOKEN_VARIABLES).flatMap(([name, key]) => {
    const text = vocabulary[numbers.get(key) ?? -1]
    return text === undefined ? [] : [[name, text] as const]
  })
  const specials = vocabulary.filter((text, id) => tokenTypes[id] === CONTROL && text !== '')
  return { tokens: Object.fromEntries(entries), specials: [...new Set(specials)] }
}
