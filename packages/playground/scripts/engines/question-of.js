import { dumps, isList } from '@callspec/python'

/** Inputs that the page can ask as well. */
const MEMBERS = new Set(['text', 'chunks', 'tools', 'thought_in_content', 'parallel_calls'])

/** The text of a case and how it is asked; null for one that the page cannot ask, such as with a choice of tools. */
export function questionOf({ format, op, input, isOpen }) {
  if ([...input.keys()].some((key) => !MEMBERS.has(key))) return null
  const chunks = input.get('chunks')
  const text = isList(chunks) ? chunks.join('') : input.get('text')
  if (typeof text !== 'string' || text === '') return null
  const tools = input.get('tools')
  return {
    format,
    text,
    setting: {
      op,
      tools: isList(tools) ? dumps(tools) : null,
      thoughtInContent: input.get('thought_in_content') === true,
      parallelCalls: input.get('parallel_calls') === true,
      isOpen,
    },
  }
}

/** What an engine answered, as `EngineAnswer`; null for what is neither an answer nor a refusal. */
export function engineAnswer(value) {
  if (value === null) return { refused: '' }
  if (typeof value === 'string') return { refused: value }
  if (!(value instanceof Map)) return null
  if (!value.has('calls')) return value.has('type') ? { refused: textOf(value.get('message')) } : null
  const [reasoning, content] = [value.get('reasoning'), value.get('content')].map(textOf)
  return {
    ...(reasoning === '' ? {} : { reasoning }),
    ...(content === '' ? {} : { content }),
    calls: value.get('calls').map(callOf),
  }
}

function callOf(call) {
  const given = call.get('arguments')
  const id = textOf(call.get('id'))
  return [
    textOf(call.get('name')),
    typeof given === 'string' ? given : dumps(given ?? null),
    ...(id === '' ? [] : [id]),
  ]
}

function textOf(value) {
  return typeof value === 'string' ? value : ''
}
