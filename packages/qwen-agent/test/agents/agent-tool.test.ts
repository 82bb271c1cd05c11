import { describe, expect, it } from 'vitest'
import { readAgentTool } from '@callspec/core/qwen-agent'
import { agentToolDefinition } from '@callspec/core/reference'
import { dumps } from '@callspec/python'
import type { AgentTool } from '@callspec/core/qwen-agent'
import { profile } from './helpers.ts'

const TOOL: AgentTool = { name: 'add', description: 'Adds', parameters: [] }

describe('agentToolDefinition', () => {
  it('hands over the three keys of the schema from v0.0.16 on', () => {
    const definition = agentToolDefinition({ ...TOOL, nameForHuman: 'Adder', argsFormat: 'x' }, profile('v0.0.16'))

    expect(dumps(definition)).toBe('{"name": "add", "description": "Adds", "parameters": []}')
  })

  it('adds the human name and the sentence on arguments before', () => {
    const definition = agentToolDefinition(TOOL, profile('v0.0.13'))

    expect(dumps(definition)).toBe(
      '{"name_for_human": "add", "name": "add", "description": "Adds", "parameters": [], "args_format": "Format the arguments as a JSON object."}',
    )
  })

  it('writes the sentence in Chinese when any text of the tool is, a parameter too', () => {
    const parameters = [new Map([['description', '数']])]

    const definition = agentToolDefinition({ ...TOOL, parameters }, profile('v0.0.7'))

    expect(definition.get('args_format')).toBe('此工具的输入应为JSON对象。')
  })

  it('keeps an empty sentence', () => {
    expect(agentToolDefinition({ ...TOOL, argsFormat: '' }, profile('v0.0.7')).get('args_format')).toBe('')
  })
})

describe('readAgentTool', () => {
  it('names the member that is missing', () => {
    expect(() => readAgentTool({ name: 'add', parameters: [] }, 'tools[3]')).toThrow(
      'tools[3].description: Every tool needs a description, as a text.',
    )
    expect(() => readAgentTool({ name: 'add', description: '' }, 'tools[3]')).toThrow('tools[3].parameters')
  })
})
