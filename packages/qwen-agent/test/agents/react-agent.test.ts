import { describe, expect, it } from 'vitest'
import { reactAgent } from '../../src/index.ts'
import type { LoopAction, LoopEvent, ToolResult } from '../../src/index.ts'
import { completion, modelOf, run, texts, tool, user } from './helpers.ts'

const ASK = 'hm\nAction: add\nAction Input: {}'

describe('reactAgent', () => {
  it('shows the text of the model and sends the normalised one', () => {
    const code = 'hm\nAction: add\nAction Input:\n```py\n1\n```\n'

    const { actions, emissions } = run(agent(), [user('q')], script([code, 'Final Answer: 1'], '5'))

    const asked = actions[2]
    const prompt = asked?.type === 'generate' ? (texts(asked.prepared.serviceMessages)[0] ?? '') : ''
    expect(prompt.slice(prompt.indexOf('Question: q'))).toBe(
      'Question: q\nThought: hm\nAction: add\nAction Input: \n```py\n1\n```\nObservation: 5\nThought: ',
    )
    expect(emissions.map(texts)).toEqual([
      [`Thought: ${code}`],
      [`Thought: ${code}\nObservation: 5\nThought: `],
      [`Thought: ${code}\nObservation: 5\nThought: Final Answer: 1`],
    ])
  })

  it('inserts a result of items as Python writes the list', () => {
    const { emissions } = run(agent(), [user('q')], script([ASK, 'x'], { content: [{ text: "it's" }, { image: 'i' }] }))

    expect(texts(emissions[1] ?? [])).toEqual([
      `Thought: ${ASK}\nObservation: [ContentItem({'text': "it's"}), ContentItem({'image': 'i'})]\nThought: `,
    ])
  })

  it('answers an action for an unknown tool itself', () => {
    const { steps, actions, emissions } = run(agent(), [user('q')], script([ASK.replace('add', 'sub'), 'x'], ''))

    expect(actions.map((action) => action.type)).toEqual(['generate', 'generate', 'finish'])
    expect(texts(emissions[1] ?? [])[0]).toMatch(/\nObservation: Tool sub does not exists\.\nThought: $/)
    expect(steps.map((step) => step.unknownCalls?.map((call) => call.name))).toEqual([undefined, ['sub'], undefined])
  })

  it('ends with the last result when the budget is spent', () => {
    const { actions, emissions } = run(agent(2), [user('q')], script([ASK, ASK], '5'))

    expect(actions.at(-1)).toMatchObject({ reason: 'model-call-limit' })
    expect(texts(emissions.at(-1) ?? [])[0]).toMatch(/5\nThought: $/)
  })

  it('emits nothing at all without a budget', () => {
    const { actions, emissions } = run(agent(0), [user('q')], script([], ''))

    expect(actions.map((action) => action.type)).toEqual(['finish'])
    expect(emissions).toEqual([])
  })

  it('has no answer to a model that streams nothing', () => {
    const { error } = run(agent(), [user('q')], () => ({ type: 'completion', replies: [] }))

    expect(error).toEqual({ type: 'IndexError', message: 'list index out of range' })
  })

  it('asks one question only: the last message; the others stay as they are, in text form', () => {
    const conversation = [user([{ file: 'a.pdf' }, { text: 'first' }]), { role: 'assistant', content: 'ok' } as const]

    const { action } = agent().start([...conversation, user('second')])

    const sent = action.type === 'generate' ? texts(action.prepared.serviceMessages) : []
    expect(sent.slice(0, 2)).toEqual(['(Uploaded [file](a.pdf)) first', 'ok'])
    expect(sent[2]).toMatch(/\n\nQuestion: second\nThought: $/)
  })

  it('raises for a conversation without messages', () => {
    const { action } = agent().start([])

    expect(action).toMatchObject({ type: 'finish', reason: 'raised', error: { type: 'IndexError' } })
  })
})

function agent(maxModelCalls = 5): ReturnType<typeof reactAgent> {
  return reactAgent({ model: modelOf('main'), tools: [tool('add')], maxModelCalls })
}

function script(completions: readonly string[], result: ToolResult): (action: LoopAction) => LoopEvent {
  const left = [...completions]
  return (action) => {
    if (action.type === 'call-tool') return { type: 'tool-result', result }
    const text = left.shift()
    if (text === undefined) throw new Error('one model call too many')
    return completion(text)
  }
}
