import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readReferences, startSimServer } from '@callspec/sim'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scoreEpisode } from '../src/judging/score-episode.ts'
import type { EpisodeScore } from '../src/score/scores.ts'
import { conversationOf } from '../src/formats/conversation.ts'
import { BUILT_IN_FORMATS, evalFormat } from '../src/formats/table.ts'
import { createRequests } from '../src/play/ask-model.ts'
import type { RunConfig } from '../src/run/run-config.ts'
import type { RunOptions } from '../src/run/run-eval.ts'
import { runEval } from '../src/run/run-eval.ts'
import { makeSuite } from '../src/suite/read-suite.ts'
import { earlierMessages, messagesFault } from '../src/suite/task-messages.ts'
import type { FormatName } from '../src/trace/format-names.ts'
import { plainSettings } from '../src/trace/run-manifest.ts'
import type { MessageDefinition, Suite, Task, TaskDefinition } from '../src/trace/task.ts'
import { withOtherApis } from './helpers/other-api.ts'
import { temporaryFolder } from './helpers/temporary.ts'
import { timeless } from './helpers/timeless.ts'
import { endLine, KEY, turnLine } from './helpers/trace.ts'
import { fewOf } from '../../tidy/test/share.ts'

const call = (expression: string, id?: string): NonNullable<MessageDefinition['tool_calls']>[number] => ({
  ...(id === undefined ? {} : { id }),
  function: { name: 'calculator', arguments: { expression } },
})
const user = (content: string): MessageDefinition => ({ role: 'user', content })
const said = (content: string, ...calls: NonNullable<MessageDefinition['tool_calls']>): MessageDefinition => ({
  role: 'assistant',
  content,
  ...(calls.length === 0 ? {} : { tool_calls: calls }),
})
const result = (content: string, id?: string): MessageDefinition => ({
  role: 'tool',
  content,
  ...(id === undefined ? {} : { tool_call_id: id }),
})

/** A task that one call of the calculator solves. */
function task(
  id: string,
  messages: readonly MessageDefinition[],
  [left, right]: readonly [number, number],
): TaskDefinition {
  const product = left * right
  return {
    ...{ id, messages, query: `And now ${left} * ${right}?`, tools: ['calculator', 'unit_convert'] },
    verdict: { answer: { num: product }, must: [{ name: 'calculator' }], minCalls: 1, maxCalls: 1 },
    reference: {
      plan: [[{ name: 'calculator', args: { expression: `${left}*${right}` } }]],
      observations: [`{"value":${product}}`],
      final: `The result is ${product}.`,
    },
  }
}

const AGAIN = [
  user('What is 2 + 2, and 3 + 3?'),
  said('First.', call('2+2', 'call_0')),
  result('{"value":4}', 'call_0'),
  said('Then.', call('3+3', 'call_0')),
  result('{"value":6}', 'call_0'),
  said('They are 4 and 6.'),
]
const CALLED = [user('What is 2 + 2?'), said('', call('2+2')), result('{"value":4}'), said('It is 4.')]
const TASKS = [
  task('called', CALLED, [37, 48]),
  task('talked', [user('What is 2 + 2?'), said('It is 4.')], [10, 10]),
  task(
    'instructed',
    [{ role: 'system', content: 'Answer briefly.' }, ...CALLED, user('Well.'), said('Yes?')],
    [10, 11],
  ),
  task('none', [], [12, 12]),
  task('again', AGAIN, [13, 13]),
]
const DEFINITION = { name: 'earlier', tasks: TASKS }
const SUITE: Suite = makeSuite(DEFINITION, { name: 'earlier' })

/** The first prompt of a task in a format, as one text. */
function firstPrompt(format: FormatName, id: string): string {
  const [found] = SUITE.tasks.filter((each) => each.id === id)
  if (found === undefined) throw new Error(`${id} is no task`)
  const tools = [{ name: 'calculator', description: 'Calculates.', parameters: { type: 'object', properties: {} } }]
  const options = { model: 'm', tools, language: 'en', maxModelCalls: 3, seed: 0 } as const
  const host = evalFormat(format).createHost(options)
  const { action } = host.loop.start(conversationOf(found))
  if (action.type !== 'generate') throw new Error(`${format} asks nothing`)
  const { request } = createRequests({ host, sample: 0, settings: plainSettings('m') })(action.prepared)
  return 'prompt' in request ? request.prompt : JSON.stringify(request.messages)
}

const runFolder = (reports: string): string =>
  join(reports, readdirSync(reports).find((name) => name.startsWith('2')) ?? '')
const textIn = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8')
const rowsIn = (folder: string, name: string): readonly unknown[] =>
  textIn(folder, name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

async function simulated(formats: readonly FormatName[]): Promise<RunConfig> {
  const server = await startSimServer({ references: readReferences({ ...DEFINITION, tools: {} }), formats })
  onTestFinished(() => server.close())
  return {
    models: ['sim/perfect'],
    suite: SUITE,
    formats,
    baseUrl: server.baseUrl,
    isSimulated: true,
    repeat: 1,
    reports: temporaryFolder(),
  }
}

/** Formats without a prompt cannot ask. */
const ASKING = [...BUILT_IN_FORMATS.values()].filter(({ format }) => format === undefined || format.prompt !== null)

describe('the prompt of a task with earlier turns', () => {
  it.each(ASKING.map(({ name }) => name))(
    'shows question, result, answer and the last question in their order: %s',
    (name) => {
      const prompt = firstPrompt(name, 'called')

      const places = ['What is 2 + 2?', 'value', 'It is 4.', 'And now 37 * 48?'].map((text, at) =>
        at === 1 ? prompt.search(/value\W+4/) : prompt.lastIndexOf(text),
      )
      expect(places.every((place, at) => place > (places[at - 1] ?? -1))).toBe(true)
    },
  )

  it('has the calls as the chat API has them, in native', () => {
    expect(JSON.parse(firstPrompt('native', 'called'))).toEqual([
      { role: 'user', content: 'What is 2 + 2?' },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'calculator', arguments: '{"expression": "2+2"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"value":4}' },
      { role: 'assistant', content: 'It is 4.' },
      { role: 'user', content: 'And now 37 * 48?' },
    ])
  })

  it('has a turn as the ReAct agent leaves it in a history, in react', () => {
    const [asked, turn] = JSON.parse(firstPrompt('react', 'called')) as readonly { readonly content: string }[]

    expect([asked?.content, turn?.content]).toEqual([
      'What is 2 + 2?',
      'Thought: \nAction: calculator\nAction Input: {"expression": "2+2"}\nObservation: {"value":4}\n' +
        'Thought: I now know the final answer.\nFinal Answer: It is 4.',
    ])
  })

  it('has each result after its own call where all have the same id, in react', () => {
    expect(firstPrompt('react', 'again')).toContain(
      String.raw`Thought: First.\nAction: calculator\nAction Input: {\"expression\": \"2+2\"}\nObservation: {\"value\":4}\n` +
        String.raw`Thought: Then.\nAction: calculator\nAction Input: {\"expression\": \"3+3\"}\nObservation: {\"value\":6}\n` +
        String.raw`Thought: I now know the final answer.\nFinal Answer: They are 4 and 6.`,
    )
  })

  it('has each result with the arguments of its own call where all have the same id, in role-react', () => {
    expect(firstPrompt('role-react', 'again').match(/Called .*?6\\"|Called .*?value/g)).toEqual([
      String.raw`Called calculator with {\"expression\": \"2+2\"}\nResult: {\"value`,
      String.raw`Called calculator with {\"expression\": \"3+3\"}\nResult: {\"value`,
    ])
  })

  it('has the turns in the memory of the role, in role-react', () => {
    expect(firstPrompt('role-react', 'called')).toContain(
      String.raw`[user: What is 2 + 2?, Tool User: Called calculator with {\"expression\": \"2+2\"}\nResult: {\"value\":4}, ` +
        'Tool User: It is 4., user: And now 37 * 48?]',
    )
  })
})

describe('an evaluation of tasks with earlier turns', { timeout: 60_000 }, () => {
  it.each(fewOf(ASKING, 12).map(({ name }) => name))('counts only what follows the question: %s', async (name) => {
    const config = await simulated([name])

    const { rows } = await runEval(config)

    expect(rows[0]?.rates.task_success).toMatchObject({ hits: TASKS.length, of: TASKS.length })
    const scores = rowsIn(runFolder(config.reports ?? ''), 'episodes.jsonl') as readonly { readonly calls: number }[]
    expect(scores.map(({ calls }) => calls)).toEqual(TASKS.map(() => 1))
  })

  it.each(['messages', 'responses'] as const)('asks the same over %s', async (api) => {
    const config = await simulated(['fncall-nous', 'native'])

    const { rows } = await runEval({ ...config, api }, { fetch: withOtherApis(fetch) })

    expect(rows.map(({ rates }) => rates.task_success.hits)).toEqual([TASKS.length, TASKS.length])
  })

  it('is refused before its first request where a format cannot show the messages', async () => {
    const two = [user('x'), said('', call('1'), call('2')), result('1'), result('2'), said('y')]
    const suite = makeSuite({ tasks: [task('one', CALLED, [2, 2]), task('two', two, [2, 2])] }, { name: 'two' })
    const config = await simulated(['fncall-nous', 'llama3-json'])

    await expect(runEval({ ...config, suite })).rejects.toThrow(
      'the format llama3-json cannot be asked with the earlier messages of "two" (The format llama3-json cannot show this: a message of this family has exactly one call.): leave out the format, or such tasks',
    )
    expect(readdirSync(config.reports ?? '')).toEqual([])
  })

  it('is the same when it goes on after a stop', async () => {
    const whole = await simulated(['fncall-nous', 'react'])
    await runEval(whole)
    const config = await simulated(['fncall-nous', 'react'])
    const controller = new AbortController()
    let lines = 0
    const onEvent: RunOptions['onEvent'] = ({ type }) => {
      lines += type === 'line' ? 1 : 0
      if (lines >= 5) controller.abort(new Error('stopped'))
    }

    await expect(runEval(config, { drain: controller.signal, onEvent })).rejects.toThrow('stopped')
    const folder = runFolder(config.reports ?? '')
    await runEval(config, { resume: { folder } })

    expect(timeless(rowsIn(folder, 'episodes.jsonl'))).toEqual(
      timeless(rowsIn(runFolder(whole.reports ?? ''), 'episodes.jsonl')),
    )
    expect(JSON.parse(textIn(folder, 'suite.json'))).toMatchObject({
      tasks: [
        { id: 'called', messages: [{ role: 'user' }, { tool_calls: [{ id: 'call_1' }] }, { role: 'tool' }, {}] },
        ...TASKS.slice(1).map(() => ({})),
      ],
    })
  })
})

describe('the score of an episode with earlier turns', () => {
  const page = 'The mark <tool_call> opens a call, as the page of the format says.'
  const [asked] = makeSuite(
    { tasks: [task('a', [user('Read it.'), said('', call('1')), result(page), said('Done.')], [2, 2])] },
    { name: 'a' },
  ).tasks
  const tools = [
    { name: 'calculator', description: '', parameters: {} },
    { name: 'unit_convert', description: '', parameters: {} },
  ]
  const score = (text: string, sent: string, of = asked): EpisodeScore => {
    if (of === undefined) throw new Error('no task')
    const lines = [turnLine(text, { sent: { kept: 0, added: sent } })]
    return scoreEpisode({ key: KEY, turns: lines, calls: [], end: endLine() }, { task: of, tools })
  }

  it('traces a mark that is copied from an earlier result to the prompt', () => {
    const { messages: _, ...without } = asked ?? {}
    const rule = (of?: Task): unknown =>
      score(`It says: ${page}`, 'calculator unit_convert', of).turns[0]?.attribution?.rule

    expect(rule()).toBe('mark-in-prompt')
    expect(rule(without as Task)).not.toBe('mark-in-prompt')
  })

  it('does not take the name in an earlier call for a prompt that shows the tools', () => {
    const blamed = (sent: string): unknown => score('I cannot do that.', sent).attribution

    expect(blamed('an earlier call of calculator')).toMatchObject({ blames: 'prompt', rule: 'tools-not-shown' })
    expect(blamed('tools: calculator, unit_convert')).toMatchObject({ blames: 'model' })
  })
})

describe('messagesFault', () => {
  const NO_RESULT = 'the call has no result. Add a message of the role tool after it'

  it.each<readonly [string, readonly MessageDefinition[], string | null, readonly (string | number)[]]>([
    ['nothing', [], null, []],
    [
      'several results, in another order',
      [user('x'), said('', call('1', 'a'), call('2', 'b')), result('2', 'b'), result('1', 'a')],
      null,
      [],
    ],
    ['results without ids', [user('x'), said('', call('1', 'a'), call('2', 'b')), result('1'), result('2')], null, []],
    [
      'a second system message',
      [user('x'), { role: 'system', content: 'y' }],
      'a system message can only be the first one',
      [1],
    ],
    [
      'a reply before any question',
      [said('x')],
      'a reply before any question. Put a message of the user before it',
      [0],
    ],
    ['a call without a result', [user('x'), said('', call('1'))], NO_RESULT, [1, 'tool_calls', 0]],
    [
      'an answer before a result',
      [user('x'), said('', call('1')), said('y')],
      'a call before this message has no result. Add a message of the role tool before it',
      [2],
    ],
    [
      'a result without a call',
      [user('x'), result('1')],
      'a result without a call. Put the message of the assistant that makes the call before it',
      [1],
    ],
    [
      'a result of another call',
      [user('x'), said('', call('1', 'a')), result('1', 'b')],
      '"b" is not the id of a call that waits for its result',
      [2],
    ],
    [
      'two calls of one id in a message',
      [user('x'), said('', call('1', 'a'), call('2', 'a')), result('1', 'a'), result('2', 'a')],
      '"a" is the id of another call of this message. Give each its own, or none',
      [1, 'tool_calls', 1],
    ],
    ['an id that is used again later', AGAIN, null, []],
    [
      'a result that names a call, and one that answers the call without an id',
      [user('x'), said('', call('1'), call('2', 'b')), result('2', 'b'), result('1', 'z')],
      null,
      [],
    ],
    [
      'calls of a user',
      [{ ...user('x'), tool_calls: [call('1')] }],
      '"tool_calls" belong to a message of the role assistant',
      [0],
    ],
    ['no content', [{ role: 'user' }], 'no "content". Give a text', [0]],
    [
      'arguments that are a list',
      [user('x'), said('', { function: { name: 'f', arguments: '[1]' } })],
      'the arguments are not a JSON object',
      [1, 'tool_calls', 0, 'function'],
    ],
    [
      'a name with a blank',
      [user('x'), said('', { function: { name: 'a b', arguments: {} } })],
      '"a b" is no name for a tool. Give letters, digits, _ . : -, at most 64',
      [1, 'tool_calls', 0, 'function'],
    ],
  ])('finds %s', (_, messages, message, path) => {
    expect(messagesFault(messages, [])).toEqual(message === null ? null : { path, message })
  })
})

describe('earlierMessages', () => {
  it('gives calls ids that no other call has, and results the id of their call', () => {
    const asked = [
      ...[user('x'), said('', call('1'), call('2', 'call_1'), call('3'))],
      ...[result('2', 'call_1'), result('1'), result('3')],
    ]

    const [, called, ...results] = earlierMessages(asked)

    expect(called?.tool_calls?.map(({ id }) => id)).toEqual(['call_2', 'call_1', 'call_3'])
    expect(results.map((each) => [each.tool_call_id, each.content])).toEqual([
      ...[
        ['call_1', '2'],
        ['call_2', '1'],
        ['call_3', '3'],
      ],
    ])
  })

  it('takes linear time for 40,000 calls in one message, with ids and without', { timeout: 10_000 }, () => {
    const many = Array.from({ length: 40_000 }, (_, at) => at)
    const named = [
      user('x'),
      said('', ...many.map((at) => call('1', `a${at}`))),
      ...many.map((at) => result('', `a${at}`)),
    ]
    const bare = [user('x'), said('', ...many.map(() => call('1'))), ...many.map(() => result(''))]

    for (const messages of [named, bare]) {
      expect(messagesFault(messages, [])).toBeNull()
      expect(earlierMessages(messages)).toHaveLength(40_002)
    }
  })
})
