import { bench, describe } from 'vitest'
import { nous } from '../src/formats/nous/index.ts'
import { qwen } from '../src/formats/qwen/index.ts'
import { react } from '../src/formats/react/index.ts'
import { buildReactPrompt, nousPreprocessFncallMessages, qwenPreprocessFncallMessages } from '../src/qwen-agent.ts'
import { PROFILES } from '../src/profile.ts'
import type { PyDict, PyValue } from '@callspec/python'
import type { Format } from '../src/format/format.ts'
import { baseFormats, builtFormats } from './as-built.ts'
import { bareChat, barePrompt, chat, conversation, tools } from './conversation.ts'
import { compare, once, ONCE, table } from './measure.ts'

const SIZES = [
  [10, 10],
  [10, 100],
  [100, 10],
  [100, 100],
  [1000, 10],
  [1000, 100],
] as const

const FORMATS = await builtFormats()
const BASE = await baseFormats()

describe('prompt building', () => {
  bench(
    'preprocessFncallMessages beside plain concatenation',
    once(() => {
      const profile = PROFILES.get('main')
      if (profile === undefined) return
      const rows = SIZES.map(([count, toolCount]) => {
        const messages = conversation(count)
        const functions = tools(toolCount)
        const ms = compare({
          limit: () => barePrompt(messages, functions),
          nous: () => nousPreprocessFncallMessages({ messages, functions, lang: 'en', profile }),
          qwen: () => qwenPreprocessFncallMessages({ messages, functions, lang: 'en', profile }),
        })
        return {
          'messages x tools': `${count} x ${toolCount}`,
          'limit ms': ms.limit.toFixed(3),
          'nous ms': ms.nous.toFixed(3),
          'qwen ms': ms.qwen.toFixed(3),
          'nous ratio': (ms.nous / ms.limit).toFixed(2),
          'qwen ratio': (ms.qwen / ms.limit).toFixed(2),
        }
      })
      console.log(table('prompts: preprocessFncallMessages beside concatenation (aim: 2 x)', rows))
    }),
    ONCE,
  )

  bench(
    'render beside what the reference calls',
    once(() => {
      const profile = PROFILES.get('main')
      if (profile === undefined) return
      const rows = SIZES.map(([count, toolCount]) => {
        const messages = conversation(count)
        const functions = tools(toolCount)
        const inner = { messages, functions, lang: 'en', profile } as const
        const asked = { language: 'en', parallelCalls: false, toolChoice: 'auto', profile: 'main' } as const
        const request = { messages, tools: functions, ...asked }
        const ms = compare({
          nousInner: () => nousPreprocessFncallMessages(inner),
          nous: () => nous.render(request),
          qwenInner: () => qwenPreprocessFncallMessages(inner),
          qwen: () => qwen.render(request),
          reactInner: () => buildReactPrompt({ messages, tools: functions, language: 'en', profile }),
          react: () => react.render(request),
        })
        return {
          'messages x tools': `${count} x ${toolCount}`,
          nous: (ms.nous / ms.nousInner).toFixed(2),
          qwen: (ms.qwen / ms.qwenInner).toFixed(2),
          react: (ms.react / ms.reactInner).toFixed(2),
        }
      })
      console.log(table('prompts: render beside preprocessFncallMessages and buildReactPrompt (aim: 2 x)', rows))
    }),
    ONCE,
  )

  bench(
    'prompts of every format beside plain concatenation',
    once(() => {
      const rows = FORMATS.flatMap((format) => promptRow(format, BASE?.find(({ id }) => id === format.id) ?? null))
      console.log(table('prompts of 20 tools and 100 or 1000 messages (aim: 2 x plain concatenation with 100)', rows))
    }),
    ONCE,
  )
})

type Row = Readonly<Record<string, string>>

/** Empty for a format that writes no prompt. */
function promptRow(format: Format, base: Format | null): readonly Row[] {
  const cells = [100, 1000].map((count) => promptCell(format, base, count))
  return cells.includes(null) ? [] : [{ format: format.id, ...cells[0], ...cells[1] }]
}

function promptCell({ prompt }: Format, base: Format | null, count: number): Row | null {
  const wrapped = tools(20).map((tool): PyValue =>
    new Map<string, PyValue>().set('type', 'function').set('function', tool),
  )
  const given = (['map', 'text'] as const)
    .map((as) => ({ messages: chat(count, as), tools: wrapped, options: OPTIONS }))
    .find((each) => prompt?.(each).kind === 'prompted')
  if (given === undefined || prompt === null) return null
  const ms = compare(
    {
      limit: () => bareChat(given.messages, given.tools),
      here: () => prompt(given),
      base: () => base?.prompt?.(given) ?? null,
    },
    31,
  )
  const beside = base === null ? {} : { [`of the base, ${count}`]: (ms.base / ms.limit).toFixed(2) }
  return { [`x concatenation, ${count}`]: (ms.here / ms.limit).toFixed(2), ...beside }
}

/** Some families name the day. */
const OPTIONS: PyDict = new Map<string, PyValue>([
  ['add_generation_prompt', true],
  ['date', '2026-01-02'],
])
