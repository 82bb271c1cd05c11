import type { Grammar, Transitions } from '../../grammar/grammar.ts'
import { readHead } from './read-head.ts'
import { CALL, END, MESSAGE, RETURN, START } from './tokens.ts'

/** In a text an end token counts only where the next message begins behind it, or the reply ends. */
const ENDS: Transitions = Object.fromEntries(
  [END, CALL, RETURN].map((token) => [token, { to: 'between', followedBy: [START], closes: true }]),
)

/** Where `readHead` is not asked, a head leads nowhere else. */
const HEAD_ENDS = Object.fromEntries([MESSAGE, END, CALL, RETURN, START].map((token) => [token, 'text']))

/** How replies are read. The prompt ends with `<|start|>assistant`, so that a reply begins inside a head. */
export const grammar: Grammar = {
  start: 'first',
  // > <|channel|>analysis<|message|>Hm.<|end|>
  //                                 ^
  thought: 'thought',
  stops: [RETURN, CALL],
  states: {
    // > <|channel|>final<|message|>
    //                    ^
    first: { kind: 'head', transitions: HEAD_ENDS },
    // > <|end|><|start|>assistant<|channel|>final<|message|>
    //                   ^                                     the role is part of the head
    head: { kind: 'head', transitions: HEAD_ENDS },
    thought: { kind: 'reasoning', transitions: ENDS },
    // > <|channel|>final<|message|>Noon.
    //                              ^
    text: { kind: 'text', transitions: ENDS },
    // > <|channel|>analysis<|channel|>commentary<|message|>Hm.<|start|>
    //                                                      ^            no head: all is text up to the next message
    unreadable: { kind: 'text', transitions: { ...ENDS, [START]: 'head' } },
    // > <|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>
    //                                                                    ^
    arguments: { kind: 'json', isRaw: true, isWholeText: true, transitions: ENDS },
    // > <|start|>functions.f to=assistant<|message|>12<|end|>
    //                                               ^         what others say is no part of the reply
    foreign: { kind: 'nothing', transitions: ENDS },
    // > <|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Noon.
    //                                           ^
    between: { kind: 'nothing', transitions: { [START]: 'head' } },
  },
  readHead,
}
