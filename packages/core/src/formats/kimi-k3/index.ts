import { dumps, isJson, strip } from '@callspec/python'
import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { Grammar, ReadName, Transitions, ValuePlace } from '../../grammar/grammar.ts'
import { KIMI_K3_SPECIALS } from '../special-tokens.ts'
import { kimiK3Prompt } from './prompt.ts'
import { spelling } from './sections.ts'

/** What follows a key: its type, which the text says and no schema. */
const TO_VALUE: Transitions = {
  '" type="string"<|sep|>': 'value',
  '" type="integer"<|sep|>': 'value',
  '" type="number"<|sep|>': 'value',
  '" type="boolean"<|sep|>': 'value',
  '" type="object"<|sep|>': 'value',
  '" type="array"<|sep|>': 'value',
  '" type="null"<|sep|>': 'value',
}

/** How replies are read. The prompt ends inside a thought, or inside the response. */
const grammar: Grammar = {
  start: 'begin',
  thought: 'opened',
  stops: ['<|end_of_msg|>'],
  states: {
    // > <|open|>response<|sep|>Noon.<|close|>response<|sep|>
    //   ^
    begin: {
      kind: 'nothing',
      transitions: { '<|open|>think<|sep|>': 'thought', '<|open|>response<|sep|>': 'response' },
      fallback: 'response',
    },
    // > Hm.<|close|>think<|sep|>
    //   ^
    opened: { kind: 'nothing', transitions: { '<|open|>think<|sep|>': 'thought' }, fallback: 'thought' },
    // > <|open|>think<|sep|>Hm.<|close|>think<|sep|>
    //                       ^
    thought: { kind: 'reasoning', transitions: { '<|close|>think<|sep|>': 'between' } },
    // > Noon.<|close|>response<|sep|>
    //   ^
    response: {
      kind: 'text',
      mayBeTruncated: true,
      transitions: {
        '<|close|>response<|sep|>': 'between',
        '<|open|>think<|sep|>': 'thought',
        '<|open|>tools<|sep|>': 'tools',
      },
    },
    // The end of the message may be the stop word, and then it is missing.
    // > Noon.<|close|>response<|sep|><|open|>tools<|sep|>
    //                                ^
    between: {
      kind: 'nothing',
      transitions: {
        '<|open|>response<|sep|>': 'response',
        '<|open|>think<|sep|>': 'thought',
        '<|open|>tools<|sep|>': 'tools',
        '<|close|>message<|sep|>': 'between',
      },
    },
    // > <|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|>
    //                       ^
    tools: {
      kind: 'nothing',
      mayBeTruncated: true,
      transitions: { '<|open|>call tool="': { to: 'name', opens: true }, '<|close|>tools<|sep|>': 'between' },
    },
    // > <|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|close|>call<|sep|>
    //                                          ^
    name: { kind: 'name', transitions: { '"<|sep|>': 'body' } },
    // > <|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|close|>call<|sep|>
    //                                                             ^
    // > <|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|close|>tools<|sep|>
    //                                                             ^                      the call is never closed
    body: {
      kind: 'nothing',
      transitions: {
        '<|open|>argument key="': 'key',
        '<|open|>json type="object"<|sep|>': 'json',
        '<|close|>call<|sep|>': { to: 'tools', closes: true },
        '<|close|>tools<|sep|>': { to: 'between', interrupts: true },
      },
    },
    // > <|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="k" type="string"<|sep|>v
    //                                                                                   ^
    key: { kind: 'key', transitions: TO_VALUE },
    // > <|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="k" type="string"<|sep|>v
    //                                                                                                          ^
    value: {
      kind: 'value',
      nextKey: /<\|open\|>argument key="([^"\n]{1,200})" type="/g,
      transitions: { '<|close|>argument<|sep|>': 'body' },
    },
    // > <|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>json type="object"<|sep|>[]<|close|>json<|sep|>
    //                                                                                              ^
    json: { kind: 'json', isRaw: true, transitions: { '<|close|>json<|sep|>': 'body' } },
  },
  readName,
  readKey: unescaped,
  typeValue,
}

/** The name precedes the index, which is a position and not an id. */
function readName(text: string): ReadName | null {
  const name = /^([^"]+)" index="\d+$/.exec(text)?.[1]
  return name === undefined ? null : { name: unescaped(name), id: null }
}

/** Two entities are known, in attributes only. That for `&` comes last: `&amp;quot;` is `&quot;`. */
function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

/** A text stays as it is; all other types are JSON. */
function typeValue(text: string, { opener }: ValuePlace): string | null {
  if (opener === '" type="string"<|sep|>') return dumps(text)
  return isJson(strip(text)) ? text : null
}

/** Sections between special tokens, typed arguments. Its README describes it with examples. */
export const kimiK3: Format = grammarFormat({
  id: 'kimi-k3',
  specialTokens: KIMI_K3_SPECIALS,
  servedAs: { vllm: ['kimi_k3'], sglang: ['kimi_k3'] },
  unread: { opens: /<\|open\|>(?:tools<\|sep\|>|call tool=)/, body: { closes: '<|close|>call<|sep|>' } },
  about: {
    models: 'Kimi K3',
    source:
      'encoding_k3.py of Kimi-K3, as vLLM carries it; chat template of llama.cpp at 181a4a8, sha256 b0455d81…7aeb9',
    licence: 'Kimi K3 License (texts as carried by llama.cpp: MIT)',
  },
  grammar,
  spelling,
  prompt: kimiK3Prompt,
})
