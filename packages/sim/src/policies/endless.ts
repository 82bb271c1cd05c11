import { SPOKEN } from '../protocol.ts'
import type { PlannedCall } from '../reference.ts'
import { loops } from './policy.ts'
import type { Policy } from './policy.ts'

/** Policies that never come to an end by themselves. */
export const ENDLESS_POLICIES: readonly Policy[] = [
  {
    id: 'repeat_forever',
    about: 'the same call again and again',
    act: ({ reference, examples }) => {
      const first = reference.plan[0]?.[0] ?? examples(reference)[0]?.call
      return first === undefined ? null : loops([first], 'repeat_loop')
    },
  },
  {
    id: 'cycle2',
    about: 'two calls in turn',
    act: ({ reference, results, examples }) => {
      // Four errors in a row would be a spiral, so one of the two must succeed; and a result that changes is no loop.
      const [steady, ...others] = examples(reference).filter((example) => example.isSteady)
      const second = others[0] ?? examples(reference).find((example) => example !== steady)
      if (steady === undefined || second === undefined || second.call.name === 'flaky_lookup') return null
      return loops([(results.length % 2 === 0 ? steady : second).call], 'repeat_loop')
    },
  },
  {
    id: 'never_final',
    about: 'a different successful call each time',
    act: ({ reference, results }) => {
      // Each call must succeed and differ, or the episode would end as a spiral or a loop.
      const filler = reference.tools.map((tool) => FILLERS.get(tool)).find((each) => each !== undefined)
      return filler === undefined ? null : loops([filler(results.length)], 'budget_exhausted')
    },
  },
  {
    id: 'error_spiral',
    about: 'tools that were not offered, another one each time',
    act: ({ protocol, reference, results }) =>
      // A number that is no state ends a role's run, see F43.
      protocol === SPOKEN.stated
        ? null
        : {
            kind: 'move',
            move: {
              kind: 'calls',
              calls: [{ name: `helper_${results.length + 1}`, args: { task: reference.task } }],
            },
            label: 'hallucinated_tool',
            end: 'tool_error_spiral',
          },
  },
]

/** Calls of the built-in tools that always succeed, a different one for every number. */
const FILLERS: ReadonlyMap<string, (step: number) => PlannedCall> = new Map(
  Object.entries<(step: number) => PlannedCall['args']>({
    calculator: (step) => ({ expression: `${step}+1` }),
    date_add: (step) => ({ date: '2025-01-01', days: step }),
    unit_convert: (step) => ({ value: step + 1, from: 'mi', to: 'km' }),
    weekday: (step) => ({ date: `2025-01-${String((step % 28) + 1).padStart(2, '0')}` }),
    kv_set: (step) => ({ key: `note:${step}`, value: 'x' }),
    kv_list: (step) => ({ prefix: `note:${step}` }),
    fs_write: (step) => ({ path: `/notes/${step}.txt`, content: 'x' }),
  }).map(([name, args]) => [name, (step: number) => ({ name, args: args(step) })]),
)
