import { dumps } from '@callspec/python'
import type { Grammar } from '../../grammar/grammar.ts'
import { argumentsInBody, readJsonCalls } from '../../grammar/json.ts'
import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import { GIGACHAT3_SPECIALS } from '../special-tokens.ts'
import { CALL, MESSAGE_END, prompt, ROLE_END } from './prompt.ts'

/** How GigaChat 3 begins a call: with the head of a message of its own. 3.1 has a token. */
const CALL_HEAD = `function call${ROLE_END}`

/** Heads of messages, as the prompt explains the roles. */
const HEADS = [
  CALL_HEAD,
  `function result${ROLE_END}`,
  `function descriptions${ROLE_END}`,
  `assistant${ROLE_END}`,
  `user${ROLE_END}`,
  `user memory${ROLE_END}`,
  `added files${ROLE_END}`,
  `system${ROLE_END}`,
  `developer system${ROLE_END}`,
]

/** How replies are read: prose, and one object after the token, or after the head of a message. */
const grammar: Grammar = {
  start: 'text',
  stops: [MESSAGE_END, '</s>'],
  states: {
    // > Let me look.<|function_call|>{"name": "f", "arguments": {}}
    //   ^
    text: {
      kind: 'text',
      transitions: {
        [CALL]: { to: 'call', opens: true },
        [CALL_HEAD]: { to: 'call', opens: true },
        [MESSAGE_END]: { to: 'message', followedBy: HEADS },
      },
    },
    // > Let me look.<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "f", "arguments": {}}
    //                              ^
    message: { kind: 'nothing', transitions: { [CALL_HEAD]: { to: 'call', opens: true } }, fallback: 'over' },
    // > <|function_call|>{"name": "f", "arguments": {}}
    //                    ^
    call: { kind: 'calls', bodyStart: '{', next: 'after', transitions: {} },
    // > <|function_call|>{"name": "f", "arguments": {}}\nDone.
    //                                                  ^    the format has no text here
    after: { kind: 'text', isTrimmed: true, transitions: { [CALL]: { to: 'call', opens: true } } },
    // > Noon.<|message_sep|>\n\nuser<|role_sep|>
    //                           ^    the model writes the next turn
    over: { kind: 'nothing', transitions: {} },
  },
  readCalls: readJsonCalls({ name: 'name', arguments: ['arguments'] }),
}

/** One JSON object after a token. Its README describes it with examples. */
export const gigachat3: Format = grammarFormat({
  id: 'gigachat3',
  specialTokens: GIGACHAT3_SPECIALS,
  servedAs: { vllm: ['gigachat3'], sglang: ['gigachat3'] },
  unread: { opens: /(?:<\|function_call\|>|function call<\|role_sep\|>)\s{0,8}\{/, body: 'json' },
  about: {
    models: 'GigaChat 3.1; replies also of GigaChat 3',
    source: 'chat template of GigaChat3.1-10B-A1.8B, sha256 304f0d64…08a4b',
    licence: 'MIT',
  },
  grammar,
  spelling: {
    betweenCalls: '',
    call: ({ name, arguments: text }) => `${CALL}{"name": ${dumps(name)}, "arguments": ${argumentsInBody(text)}}`,
  },
  prompt,
})
