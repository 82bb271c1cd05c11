import { loads } from '@callspec/python'
import { describe, expect, it } from 'vitest'

import type { AskedReply, Mistake } from './helpers/python-engine.ts'
import { HAS_PYTHON, installedEngine, standIn, startAdapter, verdicts } from './helpers/python-engine.ts'
import type { Implementation } from '../src/index.ts'

const STAND_IN = standIn('sglang-2026')
/** `pnpm engines sglang` installs it. */
const INSTALLED = installedEngine('sglang', ['0.5.23', '0.5.22'])

const CALL = '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>'
const CLOCK = '{"name": "clock", "arguments": {"zone": "UTC"}}'
const RIGHT = `{"content": "So. ", "calls": [${CLOCK}]}`
const THOUGHT_CALL = `{"reasoning": "Hm.", "calls": [${CLOCK}]}`
const THOUGHT = RIGHT.replace('{', '{"reasoning": "Hm.", ')

function start(path: string, words: string, mistake?: Mistake): Promise<Implementation> {
  return startAdapter({ engine: 'sglang', path, words, ...(mistake === undefined ? {} : { mistake }) })
}

const QWEN = '--parser qwen25+qwen3 --format nous'
const KIMI_CALL =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.clock:0<|tool_call_argument_begin|>{"zone": "UTC"}<|tool_call_end|><|tool_calls_section_end|>'
const KIMI_RIGHT = '{"calls": [{"id": "functions.clock:0", "name": "clock", "arguments": {"zone": "UTC"}}]}'

const KIMI = { words: '--parser kimi_k2 --format kimi-k2', text: KIMI_CALL, right: KIMI_RIGHT, format: 'kimi-k2' }

const DEEPSEEK = {
  text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>clock<｜tool▁sep｜>{"zone": "UTC"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ...{ right: `{"calls": [${CLOCK}]}`, format: 'deepseek-v3.1' },
}

const HY3_CALL =
  '<tool_calls>\n<tool_call>clock<tool_sep>\n<arg_key>zone</arg_key>\n<arg_value>UTC</arg_value>\n</tool_call>\n</tool_calls>'

/** A change of the adapter, and a reply that it spoils; `streamed` is what is right for its pieces. */
interface Spoiling {
  readonly mistake: Mistake
  readonly words: string
  readonly asked: AskedReply
  readonly streamed?: string
}

const MISTAKES: readonly (readonly [string, Spoiling])[] = [
  [
    'drops the ids of calls',
    {
      mistake: { right: "for key in ('id', 'name', 'arguments')", wrong: "for key in ('name', 'arguments')" },
      words: KIMI.words,
      asked: KIMI,
    },
  ],
  [
    'offers no tools',
    {
      mistake: { right: "'tools': 'offered',", wrong: '' },
      words: QWEN,
      asked: { text: `So. ${CALL}`, right: RIGHT },
    },
  ],
  [
    'does not say that a reply has ended',
    {
      mistake: { right: "self.delta(self.said(self.text, 'stop'))", wrong: '{}' },
      words: QWEN,
      asked: { text: CALL, right: `{"calls": [${CLOCK}]}`, chunks: [CALL] },
    },
  ],
  [
    'does not say how replies are cut',
    {
      mistake: { right: "'cuts': ['whole', 'special', 'tokens', 'groups'],", wrong: '' },
      words: '--parser deepseekv31 --format deepseek-v3.1',
      asked: { ...DEEPSEEK, chunks: [...DEEPSEEK.text] },
      streamed: 'synthetic',
    },
  ],
  [
    'does not say that there is no thought',
    {
      mistake: { right: "thinking(asked) != 'none'", wrong: 'True' },
      words: QWEN,
      asked: { text: `So. ${CALL}`, right: RIGHT },
    },
  ],
  [
    'does not say that the prompt has opened a thought',
    {
      mistake: {
        right: "return asked.get('thinking', 'opened' if asked.get('thought_in_content') else 'written')",
        wrong: "return 'none'",
      },
      words: QWEN,
      asked: { text: `Hm.</think>So. ${CALL}`, right: THOUGHT, input: [['thought_in_content', true]] },
    },
  ],
]

/** Before the stand-in, which reads calls of Qwen by every name. */
function standInReply({ words, asked, ...others }: Spoiling): Spoiling {
  if (asked.format === undefined) return { ...others, words, asked }
  const text = `<think>Hm.</think>${CALL}`
  if (asked.chunks !== undefined)
    return { ...others, words: QWEN, asked: { text, right: THOUGHT_CALL, chunks: [...text] } }
  return { ...others, words: `${words} --format nous`, asked: { text: CALL, right: asked.right, format: asked.format } }
}

/** Sees a reply pass, and sees it fail with the mistake. */
async function expectSpoiled(path: string, { mistake, words, asked, streamed = 'passed' }: Spoiling): Promise<void> {
  expect(await verdicts(await start(path, words), asked)).toEqual(['passed', streamed])
  const spoiled = await start(path, words, mistake).then(
    (implementation) => verdicts(implementation, asked),
    () => ['does not start'],
  )
  expect(spoiled.filter((verdict) => verdict === 'failed' || verdict === 'does not start')).not.toEqual([])
}

describe.skipIf(!HAS_PYTHON)('the SGLang adapter, before a stand-in (needs python3)', () => {
  it('says what the server knows: offered tools, thoughts, and pieces of tokens', async () => {
    const { about } = await start(STAND_IN, QWEN)

    expect(about).toMatchObject({
      ...{ version: '0.5.23', tools: 'offered', thinking: ['opened', 'written', 'none'] },
      cuts: ['whole', 'special', 'tokens', 'groups'],
    })
  })

  it.each(MISTAKES)('reads a reply that fails when it %s', async (_, spoiling) => {
    await expectSpoiled(STAND_IN, standInReply(spoiling))
  })

  it('asks the server, which looks for a marker before it asks the detector', async () => {
    const text = CALL.replace('<tool_call>\n', '<tool_call>')

    // The detector alone would read a call.
    const right = `{"content": ${JSON.stringify(text)}}`
    expect((await verdicts(await start(STAND_IN, QWEN), { text, right }))[0]).toBe('passed')
  })

  it('leaves out the token that ends a reply, and asks for no text behind it', async () => {
    const implementation = await start(STAND_IN, QWEN)

    expect(await verdicts(implementation, { text: `So. ${CALL}<|im_end|>`, right: RIGHT })).toEqual([
      'passed',
      'passed',
    ])
    expect(await verdicts(implementation, { text: 'So.<|im_end|> And?', right: '{"content": "So."}' })).toEqual([
      'skipped',
      'skipped',
    ])
  })

  it('goes on after a token that ends a message, where a reply has several', async () => {
    const implementation = await start(STAND_IN, '--parser qwen25 --format muse-glimmer')
    const asked = { text: 'So.<|eom|>And.<|eot|>', right: '{"content": "So.<|eom|>And."}', format: 'muse-glimmer' }

    // In a stream the stand-in waits at each `<`.
    expect((await verdicts(implementation, asked))[0]).toBe('passed')
  })

  it('waits for the second half of a character', async () => {
    const chunks = ['So \ud83d', '\ude00.']

    expect(
      await verdicts(await start(STAND_IN, QWEN), { text: 'So 😀.', right: '{"content": "So 😀."}', chunks }),
    ).toEqual(['passed', 'passed'])
  })

  it('skips a choice of one tool, and requests that the server refuses', async () => {
    const implementation = await start(STAND_IN, QWEN)
    const forced = [['tool_choice', loads('{"name": "clock"}')] as const]
    const odd = [['tools', loads('[{"name": "f", "description": "", "parameters": {"type": "odd"}}]')] as const]

    for (const input of [forced, odd])
      expect(await verdicts(implementation, { text: 'So.', right: '{"content": "So."}', input })).toEqual([
        'skipped',
        'skipped',
      ])
  })

  it.each(['--parser nope', '--parser qwen25+nope'])('says that there is no such parser: %s', async (words) => {
    await expect(start(STAND_IN, `${words} --format nous`)).rejects.toThrow(
      /SGLang 0\.5\.23: there is no parser nope\. It has .*/,
    )
  })
})

describe.skipIf(!HAS_PYTHON || INSTALLED === null)(
  'the SGLang adapter, before the real server code (needs CALLSPEC_ENGINES with a folder sglang@VERSION)',
  () => {
    const at = INSTALLED ?? ''

    it.each(MISTAKES)('reads a reply that fails when it %s', async (_, spoiling) => {
      await expectSpoiled(at, spoiling)
    })

    it('gives the vocabulary, in which the detector of Hy3 finds how its tags end', async () => {
      const text = HY3_CALL.replaceAll(/<(\/?\w+)>/g, '<$1:opensource>')
      await expectSpoiled(at, {
        mistake: { right: 'return self.vocabulary', wrong: 'return {}' },
        words: '--parser hunyuan+hunyuan --format hy-v3',
        asked: { text, right: `{"calls": [${CLOCK}]}`, format: 'hy-v3', chunks: [text] },
      })
    })

    it('asks the server, which looks for a marker before it asks the detector', async () => {
      const implementation = await start(at, '--parser gpt-oss+gpt-oss --format harmony')
      const text = '<|channel|>commentary to=functions.clock <|constrain|>json<|message|>{"zone": "UTC"}<|call|>'

      // The detector of gpt-oss reads this call in a stream; whole, its server finds no marker (sglang#41315).
      expect(await verdicts(implementation, { text, right: `{"calls": [${CLOCK}]}`, format: 'harmony' })).toEqual([
        'failed',
        'passed',
      ])
    })
  },
)
