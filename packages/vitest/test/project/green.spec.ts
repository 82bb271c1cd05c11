import { formats } from '@callspec/core/qwen-agent'
import { describeConformance } from '@callspec/vitest'
import { expect, it } from 'vitest'

const parse = (text: string, options: Readonly<Record<string, unknown>>): unknown => {
  const { items } = formats.nous.read(text, {
    version: 'strict',
    thoughtInContent: options['thoughtInContent'] === true,
  })
  return {
    items: items.flatMap<unknown>((item) => {
      if (item.kind === 'issue') return []
      if (item.kind === 'call') return [{ type: 'call', name: item.name, arguments: item.arguments }]
      return [{ type: item.kind, text: item.text }]
    }),
  }
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
