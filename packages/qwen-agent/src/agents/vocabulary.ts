import { fill } from '@callspec/python'
import type { Profile } from '@callspec/core/qwen-agent'
import { dumpContent } from '@callspec/core/qwen-agent'
import { dumps } from '@callspec/python'
import type { ChatModel } from '../chat/model.ts'
import { truncate } from '../tokenizer-truncate.ts'
import { KNOWLEDGE_KEYWORD_EN, KNOWLEDGE_KEYWORD_ZH } from './knowledge-templates.ts'
import type { ToolEvent } from './model-call.ts'
import { formatToolResult, toolFailureText } from './tool-result.ts'

/** The name of the tool that is asked for the words of documents. It is injected, as the retrieval is. */
export const VOCABULARY_TOOL = 'extract_doc_vocabulary'

const TEMPLATES = { zh: KNOWLEDGE_KEYWORD_ZH, en: KNOWLEDGE_KEYWORD_EN } as const

/** What the reference leaves free beside prompt, question and vocabulary. */
const SPARE_TOKENS = 100

/** What the prompt is made of, beside the question. */
export interface KnowledgeKeywordOptions {
  readonly model: ChatModel
  readonly language: 'en' | 'zh'
  readonly vocabulary: string
}

/** The prompt that asks for keywords in the words of the documents, of which as many stay as the input has room for. */
export function knowledgeKeywordPrompt(
  request: string,
  { model, language, vocabulary }: KnowledgeKeywordOptions,
): string {
  const { tokenizer, profile, maxInputTokens } = model
  const template = TEMPLATES[language]
  // as in the reference: the template is counted as it stands, its fields and doubled braces included.
  const maxTokens = maxInputTokens - tokenizer.count(template) - tokenizer.count(request) - SPARE_TOKENS
  const words = truncate(vocabulary, { tokenizer, profile, maxTokens })
  return fill(template, { ref_doc: words, user_request: request })
}

/**
 * What the tool's answer is as text; an exception of the tool is one too.
 *
 * @throws Raise the exception itself, for the types that no agent catches
 */
export function vocabularyText(event: ToolEvent, profile: Profile): string {
  if (event.type === 'tool-failed') return toolFailureText(VOCABULARY_TOOL, event.error, profile)
  const content = formatToolResult(event.result)
  return typeof content === 'string' ? content : dumps(dumpContent(content))
}
