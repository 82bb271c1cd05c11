import { describeConformance } from '@callspec/vitest'
import { expect, it } from 'vitest'
import { parse } from './parser.ts'

describeConformance(
  { parse },
  {
    format: 'nous',
    cases: ['cases.jsonl'],
    knownFailures: { 'team/no name': 'https://issues.example/7', 'team/one call': 'was broken once' },
  },
)

it('matches a prompt', () => {
  expect('You are kind.\nWhat time is it? ').toMatchPrompt('You are kind.\nWhat time is it?\u00a0')
})

it('parses', () => {
  expect('<tool_call>\n{"name": "clock", "arguments": {"zone": "天"}}\n</tool_call>').toParseAs('nous', [
    { name: 'clock', arguments: { zone: '夫' } },
  ])
})

it('ends', () => {
  expect({ reason: 'raised', error: { type: 'ValueError', message: 'no model' } }).toTerminateWith('answered')
})
