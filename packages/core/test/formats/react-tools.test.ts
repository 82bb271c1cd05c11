import { describe, expect, it } from 'vitest'
import { react } from '../../src/qwen-agent.ts'

const clock = { name: 'clock', description: 'Tells the time.', parameters: { type: 'object', properties: {} } }
const LINE = 'clock: Call this tool to interact with the clock API. What is the clock API useful for? Tells the time.'
const PARAMETERS = 'Parameters: {"type": "object", "properties": {}}'

describe('the tools of a ReAct prompt', () => {
  it('say how to write the arguments, up to v0.0.15, as the agents of those versions did', () => {
    const sentence = 'Format the arguments as a JSON object.'

    for (const profile of ['v0.0.7', 'v0.0.13']) {
      expect(toolLines(profile)).toBe(`${LINE} ${PARAMETERS} ${sentence}`)
    }
  })

  it('say nothing of it later', () => {
    for (const profile of ['v0.0.16', 'v0.0.26', 'main']) expect(toolLines(profile)).toBe(`${LINE} ${PARAMETERS}`)
  })
})

/** The same in `renderTools` and in the whole prompt. */
function toolLines(profile: string): string | undefined {
  const request = { tools: [clock], language: 'en', parallelCalls: false, profile } as const
  const [message] = react.render({ ...request, messages: [{ role: 'user', content: 'now?' }], toolChoice: 'auto' })
  const lines = String(message?.content).split('\n\n')[1]
  expect(react.renderTools(request)).toBe(lines)
  return lines
}
