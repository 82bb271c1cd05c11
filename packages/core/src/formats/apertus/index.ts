import { dumps } from '@callspec/python'
import type { Grammar, Transition } from '../../grammar/grammar.ts'
import { argumentsInBody, readKeyedCalls } from '../../grammar/json.ts'
import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import { thoughtStates } from '../shared-states.ts'
import { APERTUS_SPECIALS } from '../special-tokens.ts'
import { CALLS, prompt, THOUGHT } from './prompt.ts'

const OPENS: Transition = { to: 'calls', opens: true }

/** How replies are read: prose, thoughts, and lists of calls between tokens. */
const grammar: Grammar = {
  start: 'text',
  thought: 'opened',
  stops: ['<|assistant_end|>'],
  states: {
    ...thoughtStates({ ...THOUGHT, calls: { [CALLS.open]: OPENS } }),
    // > <|tools_prefix|>[{"f": {}}]<|tools_suffix|>
    //                   ^
    calls: { kind: 'calls', bodyStart: '[', next: 'end', transitions: { [CALLS.close]: 'text' } },
    // > <|tools_prefix|>[{"f": {}}]<|tools_suffix|>
    //                              ^
    end: { kind: 'nothing', mayBeTruncated: true, transitions: { [CALLS.close]: 'text' } },
  },
  readCalls: readKeyedCalls(),
}

/** One JSON list whose objects have the name of the tool as key. Its README describes it with examples. */
export const apertus: Format = grammarFormat({
  id: 'apertus',
  specialTokens: APERTUS_SPECIALS,
  servedAs: { vllm: ['apertus'], sglang: ['apertus2509'] },
  unread: { opens: /<\|tools_prefix\|>\s{0,8}\[/, body: 'json' },
  about: {
    models: 'Apertus 8B and 70B Instruct (2509)',
    source: 'chat template of Apertus-8B-Instruct, sha256 dea688e9…5768d',
    licence: 'Apache-2.0',
  },
  grammar,
  spelling: {
    thought: THOUGHT,
    section: { open: `${CALLS.open}[`, close: `]${CALLS.close}` },
    betweenCalls: ', ',
    call: ({ name, arguments: text }) => `{${dumps(name)}: ${argumentsInBody(text)}}`,
  },
  prompt,
})
