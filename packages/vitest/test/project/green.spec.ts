import { formats } from '@callspec/core/qwen-agent'
import { describeConformance } from '@callspec/vitest'
import { expect, it } from 'vitest'

const parse = (text: string): unknown => {
  const outcome = formats.nous.parse(text)
  const messages = outcome.kind === 'parsed' ? outcome.messages : []
  const call = messages.flatMap(({ function_call: each }) => (each ? [each] : []))
  return { content: messages.map(({ content }) => content).join(''), calls: call }
}

describeConformance({ parse }, { format: 'nous', operations: ['parse'] })

it('has the matchers', () => {
  expect([{ role: 'user', content: 'Hello.' }]).toMatchPrompt(
    '<|im_start|>user\nHello.<|im_end|>\n<|im_start|>assistant\n',
  )
  expect('Hello.').toParseAs('react', { content: 'Hello.', calls: [] })
  expect({ reason: 'answered' }).toTerminateWith('answered')
  expect({ reason: 'answered' }).not.toTerminateWith('raised')
})
