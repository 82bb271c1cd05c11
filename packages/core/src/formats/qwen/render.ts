import type { PreprocessRequest } from '../../format.ts'
import type { ContentItem, FunctionCall, ItemMessage, Message, ToolDefinition } from '../../messages/message.ts'
import type { Profile } from '../../profile.ts'
import { fill, strip, Raise, unreachable } from '@callspec/python'
import { textOf, typeAndValue } from '../../messages/content-item.ts'
import { describeTool, toolNames } from '../../tool-description.ts'
import { addToolSection, draftOf, finishDrafts, indexError, itemsOf, lastDraft, resultItemsOf } from '../draft.ts'
import type { Draft } from '../draft.ts'
import { qwenTemplate } from './templates.ts'
import { ARGS_COLON, FUNCTION_COLON, RESULT, RETURN } from './tokens.ts'

const AFTER_RESULTS = `\n${RETURN}: `

/**
 * Flattens calls and results to ✿ text and adds the tool section (spec §6.2, `preprocess_fncall_messages` of the
 * reference's `QwenFnCallPrompt`).
 *
 * @throws Raise `IndexError` for a first message of the assistant, `AssertionError` for a result that follows no
 *   assistant, and the errors of `describeTool`
 */
export function qwenPreprocessFncallMessages(request: PreprocessRequest): readonly ItemMessage[] {
  const { messages, functions, lang, parallelFunctionCalls = true, functionChoice = 'auto', profile } = request
  const drafts: Draft[] = []
  for (const message of messages) addMessage(drafts, message)
  // Up to v0.0.7 the conversion runs without tools too, and then there is no section.
  if (functions.length > 0 || !profile.convertsWithoutTools) {
    addToolSection(drafts, qwenToolSection(functions, { lang, parallelFunctionCalls, profile }), profile)
  }
  dropColonAtEnd(drafts)
  if (functionChoice !== 'auto' && functionChoice !== 'none') startCall(drafts, functionChoice, profile)
  return finishDrafts(drafts)
}

/** The tool section alone, without newlines around it (spec §6.1). */
export function qwenToolSection(
  functions: readonly ToolDefinition[],
  options: { readonly lang: 'en' | 'zh'; readonly parallelFunctionCalls: boolean; readonly profile: Profile },
): string {
  const { lang, parallelFunctionCalls, profile } = options
  return fill(qwenTemplate({ lang, parallel: parallelFunctionCalls }), {
    tool_descs: functions.map((tool) => describeTool(tool, { lang })).join('\n\n'),
    tool_names: toolNames(functions, profile),
  })
}

function addMessage(drafts: Draft[], message: Message): void {
  switch (message.role) {
    case 'system':
    case 'user':
      drafts.push(draftOf(message))
      return
    case 'assistant':
      addAssistant(drafts, message)
      return
    case 'function':
      addResult(drafts, message)
      return
    default:
      return unreachable(message.role)
  }
}

function addAssistant(drafts: Draft[], message: Message): void {
  const previous = lastDraft(drafts)
  const items = itemsOf(message)
  const call = message.function_call
  const isContinued = previous.message.role === 'assistant'
  // As in the reference: no newline parts a message's own text from its call, only the call from an earlier message.
  if (call) items.push({ text: (isContinued ? '\n' : '') + callText(call) })
  if (isContinued) previous.items.push(...items)
  else drafts.push({ message: { role: 'assistant', content: [] }, items })
}

/** A code block starts on a line of its own; the space after the colon stays. */
function callText({ name, arguments: text }: FunctionCall): string {
  const block = text.startsWith('```') ? `\n${text}` : text
  return `${FUNCTION_COLON} ${name}\n${ARGS_COLON} ${block}`
}

function addResult(drafts: Draft[], message: Message): void {
  const previous = lastDraft(drafts)
  if (previous.message.role !== 'assistant') throw new Raise('AssertionError', '')
  const result = resultItemsOf(message)
  openReturn(previous.items)
  previous.items.push({ text: `\n${RESULT}: ` }, ...(result.length > 0 ? result : [{ text: '' }]), {
    text: AFTER_RESULTS,
  })
}

/** Takes back the end of the previous result, so that results of parallel calls stand together. */
function openReturn(items: ContentItem[]): void {
  const last = items.at(-1)
  if (last === undefined) throw indexError()
  if (typeof last.text !== 'string') {
    throw new Raise('AttributeError', `'NoneType' object has no attribute 'endswith'`)
  }
  if (last.text.endsWith(AFTER_RESULTS)) {
    items[items.length - 1] = { text: last.text.slice(0, last.text.length - AFTER_RESULTS.length) }
  }
}

/** The model goes on after the marker: `: ` could be one token with what follows, so it is left to the model. */
function dropColonAtEnd(drafts: readonly Draft[]): void {
  const last = lastDraft(drafts)
  if (last.message.role !== 'assistant') return
  const at = last.items.findLastIndex((item) => typeAndValue(item).type === 'text')
  const text = last.items[at]?.text
  if (text?.endsWith(`${RETURN}: `)) last.items[at] = { text: text.slice(0, -2) }
}

/** Starts the call that the model must make; the arguments are left to it. */
function startCall(drafts: Draft[], name: string, profile: Profile): void {
  const start = { text: `${FUNCTION_COLON} ${name}` }
  const last = drafts.at(-1)
  if (last?.message.role !== 'assistant') {
    drafts.push({ message: { role: 'assistant', content: [] }, items: [start] })
    return
  }
  const isParted = last.items.length > 0 || profile.partsForcedCall === 'always'
  if (isParted) last.items.push({ text: endsWithReturn(last.items, profile) ? ': \n' : '\n' })
  last.items.push(start)
}

/** As in the reference: the end is looked at without white space (`extract_text_from_message`), but not by v0.0.7. */
function endsWithReturn(items: readonly ContentItem[], profile: Profile): boolean {
  const text = textOf(items)
  return (profile.partsForcedCall === 'always' ? text : strip(text)).endsWith(RETURN)
}
