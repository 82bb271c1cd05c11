// The pieces of nous: JSON between tags. Written from its README, without any reader.
import { callItem, piece } from './reply.mjs'

export const OPEN = '<tool_call>'
export const CLOSE = '</tool_call>'

/** A call in its usual form. `json` are the arguments as they stand. */
export const call = (name, json) => tagged(`\n{"name": ${JSON.stringify(name)}, "arguments": ${json}}\n`, name, json)

/** A call whose text between the tags is given. */
export const tagged = (inside, name, json) => piece(`${OPEN}${inside}${CLOSE}`, callItem(name, json))

/** A thought in its tags. */
export const thought = (text) => piece(`<think>${text}</think>`, { type: 'reasoning', text: text.trim() })

export const UTC = () => call('clock', '{"zone": "UTC"}')
export const TOKYO = () => call('clock', '{"zone": "Asia/Tokyo"}')
export const NOW = () => call('now', '{}')

/** A case about nous. */
export function nousCase(op, [topic, topicAbout], { name, about, pieces, evidence, input = {}, chunks }) {
  const text = pieces.map((each) => (typeof each === 'string' ? each : each.text)).join('')
  const items = pieces.flatMap((each) => (typeof each === 'string' ? [] : each.items))
  const given = op === 'stream' ? { chunks: chunks ?? [text], ...input } : { text, ...input }
  return {
    ...{ format: 'nous', op, topic, topicAbout, name, about, input: given },
    ...(evidence === undefined ? {} : { evidence: evidence.map(report) }),
    expected: op === 'stream' ? { final: { items } } : { items },
    writtenFor: 'packages/core/src/formats/nous/README.md',
  }
}

/** `vllm-project/vllm#1` as a URL. */
export function report(name) {
  const [repository, number] = name.split('#')
  return `https://github.com/${repository}/issues/${number}`
}
