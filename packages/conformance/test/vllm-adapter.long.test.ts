import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Format } from '@callspec/core'
import { FORMATS } from '@callspec/core'
import { loads } from '@callspec/python'
import { describe, expect, it } from 'vitest'

import type { AskedReply, Mistake } from './helpers/python-engine.ts'
import { HAS_PYTHON, installedEngine, standIn, startAdapter, verdicts } from './helpers/python-engine.ts'
import type { Implementation } from '../src/index.ts'

const STAND_IN = standIn('vllm-2026')
/** `pnpm engines vllm` installs it. */
const INSTALLED = installedEngine('vllm', ['0.33.0', '0.32.0'])

const CALL = '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>'
const CLOCK = '{"name": "clock", "arguments": {"zone": "UTC"}}'
const RIGHT = `{"content": "So. ", "calls": [${CLOCK}]}`
const THOUGHT = RIGHT.replace('{', '{"reasoning": "Hm.", ')

function start(path: string, words: string, mistake?: Mistake): Promise<Implementation> {
  return startAdapter({ engine: 'vllm', path, words, ...(mistake === undefined ? {} : { mistake }) })
}

const KIMI_CALL =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.clock:0<|tool_call_argument_begin|>{"zone": "UTC"}<|tool_call_end|><|tool_calls_section_end|>'
const LFM2_CALL = '<|tool_call_start|>[clock(zone="UTC")]<|tool_call_end|>'
const KIMI_RIGHT = '{"calls": [{"id": "functions.clock:0", "name": "clock", "arguments": {"zone": "UTC"}}]}'

const KIMI = { words: '--parser kimi_k2 --format kimi-k2', text: KIMI_CALL, right: KIMI_RIGHT, format: 'kimi-k2' }

const SAID = { right: '{"content": "So.", "reasoning": "Hm."}' }
const M3_THOUGHT = { ...SAID, text: 'Hm.</mm:think>So.', format: 'minimax-m3', chunks: ['Hm.', '</mm:think>', 'So.'] }
const HY3_THOUGHT = {
  ...{ ...SAID, text: 'Hm.</think:opensource>So.', format: 'hy-v3' },
  chunks: ['Hm.', '</think:opensource>', 'So.'],
}

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
    { mistake: { right: "return {'id': known} if known else {}", wrong: 'return {}' }, words: KIMI.words, asked: KIMI },
  ],
  [
    'offers no tools',
    {
      mistake: { right: "'tools': 'offered',", wrong: '' },
      words: '--parser hermes --format nous',
      asked: { text: `So. ${CALL}`, right: RIGHT },
    },
  ],
  [
    'gives no tokens of the prompt',
    {
      mistake: { right: 'self.held = tokens.prompt(', wrong: 'self.held = None and tokens.prompt(' },
      words: '--parser hermes+qwen3 --format nous',
      asked: { text: `Hm.</think>So. ${CALL}`, right: THOUGHT, input: [['thought_in_content', true]] },
    },
  ],
  [
    'knows no special tokens',
    {
      mistake: { right: 'given.tokenizer, special_tokens(given.vocabulary))', wrong: 'given.tokenizer)' },
      words: '--parser lfm2 --format lfm2',
      asked: { text: LFM2_CALL, right: `{"calls": [${CLOCK}]}`, format: 'lfm2' },
    },
  ],
  [
    'does not say how replies are cut',
    {
      mistake: { right: "'cuts': ['whole', 'special', 'tokens', 'groups'],", wrong: '' },
      words: KIMI.words,
      asked: { ...KIMI, chunks: [...KIMI_CALL] },
      streamed: 'synthetic',
    },
  ],
  [
    'says nothing of thoughts',
    {
      mistake: {
        right: "asked.get('thinking', 'opened' if asked.get('thought_in_content') else 'written')",
        wrong: "'written'",
      },
      words: '--parser hermes+qwen3 --format nous',
      asked: { text: `So. ${CALL}`, right: RIGHT },
    },
  ],
]

/** Before the stand-in, which reads calls of Hermes by every name. */
function standInReply({ words, asked, ...others }: Spoiling): Spoiling {
  if (asked.format === undefined) return { ...others, words, asked }
  const call = { text: CALL, right: `{"calls": [${CLOCK}]}` }
  if (asked.chunks !== undefined)
    return { ...others, words: '--parser hermes --format nous', asked: { ...call, chunks: [...CALL] } }
  const right = asked.format === 'kimi-k2' ? KIMI_RIGHT : call.right
  return { ...others, words: `${words} --format nous`, asked: { text: CALL, right, format: asked.format } }
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

describe.skipIf(!HAS_PYTHON)('the vLLM adapter, before a stand-in (needs python3)', () => {
  it('says what the server knows: offered tools, thoughts, and pieces of tokens', async () => {
    const { about } = await start(STAND_IN, '--parser hermes --format nous')

    expect(about).toMatchObject({
      ...{ version: '0.33.0', tools: 'offered', thinking: ['none'] },
      cuts: ['whole', 'special', 'tokens', 'groups'],
    })
  })

  it.each(MISTAKES)('reads a reply that fails when it %s', async (_, spoiling) => {
    await expectSpoiled(STAND_IN, standInReply(spoiling))
  })

  it.each<[string, AskedReply]>([
    ['writes none', { text: `So. ${CALL}`, right: RIGHT }],
    ['writes one', { text: `<think>Hm.</think>So. ${CALL}`, right: THOUGHT }],
    ['begins inside of one', { text: `Hm.</think>So. ${CALL}`, right: THOUGHT, input: [['thought_in_content', true]] }],
  ])('knows of thoughts: a reply %s', async (_, asked) => {
    const implementation = await start(STAND_IN, '--parser hermes+qwen3 --format nous')

    expect(await verdicts(implementation, asked)).toEqual(['passed', 'passed'])
  })

  it('skips replies that cannot follow the prompt of the model', async () => {
    const calls = await start(STAND_IN, '--parser hermes --format nous')
    const thought = { text: '<think>Hm.</think>So.', right: '{"content": "So.", "reasoning": "Hm."}' }
    const forced = [['tool_choice', loads('{"name": "clock"}')] as const]

    expect(await verdicts(calls, thought)).toEqual(['skipped', 'skipped'])
    expect(await verdicts(calls, { text: 'So.', right: '{"content": "So."}', input: forced })).toEqual([
      'skipped',
      'skipped',
    ])
  })

  it('gives the tokens of a marker that a model writes in pieces', async () => {
    const implementation = await start(STAND_IN, '--parser hermes --format nous')
    const text = `So. ${CALL}`

    // Without its token there is no call for this parser.
    const right = `{"content": ${JSON.stringify(text)}}`
    expect((await verdicts(implementation, { text, right, plain: [[4, 15]] }))[0]).toBe('passed')
  })

  it('leaves out the token that ends a reply, whole and in pieces, but not its letters', async () => {
    const implementation = await start(STAND_IN, '--parser hermes --format nous')
    const text = `So. ${CALL}<|im_end|>`

    expect(await verdicts(implementation, { text, right: RIGHT })).toEqual(['passed', 'passed'])
    const prose = { text: 'So.<|im_end|>', right: '{"content": "So.<|im_end|>"}' }
    expect(await verdicts(implementation, prose)).toEqual(['failed', 'failed'])
    expect(await verdicts(implementation, { ...prose, plain: [[3, 13]] })).toEqual(['passed', 'passed'])
  })

  it('asks the parser openai as Harmony', async () => {
    await expect(start(STAND_IN, '--parser openai --format nous')).rejects.toThrow(
      /The parser openai needs it: pip install oss-harmony/,
    )
  })
})

/** The versions of a format whose special tokens are other ones. */
function versionsWithTokens(format: Format): readonly Format[] {
  return format.versions
    .flatMap((version) => format.inVersion?.(version) ?? [])
    .filter(({ specialTokens }) => specialTokens !== format.specialTokens)
}

it('the special tokens of the adapter are those of core', () => {
  const file = resolve(import.meta.dirname, '../adapters/python-engines/special_tokens.json')
  const known: unknown = JSON.parse(readFileSync(file, 'utf8'))

  expect(known).toEqual(
    Object.fromEntries(
      FORMATS.flatMap((format) => [format, ...versionsWithTokens(format)]).flatMap(({ id, specialTokens }) =>
        specialTokens === undefined ? [] : [[id, specialTokens.tokens] as const],
      ),
    ),
  )
})

describe.skipIf(!HAS_PYTHON || INSTALLED === null)(
  'the vLLM adapter, before the real parsers (needs CALLSPEC_ENGINES with a folder vllm@VERSION)',
  () => {
    const at = INSTALLED ?? ''

    it.each(MISTAKES)('reads a reply that fails when it %s', async (_, spoiling) => {
      await expectSpoiled(at, spoiling)
    })

    it.each<[string, Spoiling]>([
      [
        'MiniMax-M3 of its mode',
        {
          mistake: { right: "'thinking_mode':", wrong: "'no_mode':" },
          words: '--parser minimax_m3+minimax_m3 --format minimax-m3',
          asked: { ...M3_THOUGHT, input: [['thought_in_content', true]] },
        },
      ],
      [
        'Hy3 of its effort',
        {
          mistake: { right: "'reasoning_effort':", wrong: "'no_effort':" },
          words: '--parser hy_v3+hy_v3 --format hy-v3',
          asked: { ...HY3_THOUGHT, input: [['thought_in_content', true]] },
        },
      ],
    ])('tells the reasoning parser of %s', async (_, spoiling) => {
      await expectSpoiled(at, spoiling)
    })

    it('reads thoughts, whole and token by token', async () => {
      const implementation = await start(at, '--parser hermes+qwen3 --format nous')

      expect(await verdicts(implementation, { text: `<think>Hm.</think>So. ${CALL}`, right: THOUGHT })).toEqual([
        'passed',
        'passed',
      ])
    })

    it('reads Harmony by its real tokens', async () => {
      const implementation = await start(at, '--parser openai+openai_gptoss --format harmony')
      const text =
        '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.clock <|constrain|>json<|message|>{"zone": "UTC"}<|call|>'

      expect(
        await verdicts(implementation, { text, right: `{"reasoning": "Hm.", "calls": [${CLOCK}]}`, format: 'harmony' }),
      ).toEqual(['passed', 'passed'])
    })
  },
)
