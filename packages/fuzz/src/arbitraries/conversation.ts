import { isDict, toPlain } from '@callspec/python'
import type { Message, ToolSpec } from '@callspec/core/qwen-agent'
import type { PlainValue } from '@callspec/python'
import fc from 'fast-check'

import { callArguments, parameterSchema } from './json.ts'
import { BLANKS, prose, RUINS, WORDS } from './words.ts'

/** Names as tools have them, also in other scripts; without what a quotation or a marker could be made of. */
export function toolName(): fc.Arbitrary<string> {
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('clock', 'get_weather', 'math.add', 'f', 'now', 'search-web', '查询', 'naïve_tool'),
    },
    { weight: 1, arbitrary: fc.stringMatching(/^[a-z_][a-zA-Z0-9_.-]{0,11}$/) },
  )
}

/** A tool with name, description and parameters, as plain data. */
export function tool(): fc.Arbitrary<ToolSpec> {
  return fc
    .record({ name: toolName(), description: prose(), parameters: parameterSchema() })
    .map(({ name, description, parameters }) => ({ name, description, parameters: toPlain(parameters) as PlainValue }))
}

/** A list of tools with different names. */
export function tools(): fc.Arbitrary<readonly ToolSpec[]> {
  return fc.uniqueArray(tool(), { maxLength: 4, selector: nameOf })
}

/** What a user or a tool says: words, and pieces that look like calls, with the markers of a format among them. */
export function foreignText(markers: readonly string[]): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...WORDS, ...BLANKS, ...RUINS, ...markers, ...markers), { maxLength: 8 })
    .map((pieces) => pieces.join(''))
}

/**
 * A conversation that begins with a user: perhaps a system message, answers with and without calls, a result for every
 * call. What users and tools say may hold markers.
 */
export function conversation(markers: readonly string[] = []): fc.Arbitrary<readonly Message[]> {
  const said = foreignText(markers)
  const turn = fc
    .record({
      question: said,
      calls: fc.array(fc.record({ name: toolName(), args: callArguments(1), thought: prose(3), result: said }), {
        maxLength: 2,
      }),
      answer: prose(),
    })
    .map(({ question, calls, answer }): readonly Message[] => [
      { role: 'user', content: question },
      ...calls.flatMap(({ name, args, thought, result }): readonly Message[] => [
        { role: 'assistant', content: thought, function_call: { name, arguments: args } },
        { role: 'function', name, content: result },
      ]),
      { role: 'assistant', content: answer },
    ])
  return fc
    .tuple(fc.option(prose()), fc.array(turn, { minLength: 1, maxLength: 3 }))
    .map(([system, turns]) => [
      ...(system === null ? [] : [{ role: 'system', content: system } as const]),
      ...turns.flat(),
    ])
}

function nameOf(spec: ToolSpec): PlainValue | undefined {
  if (isDict(spec)) return String(spec.get('name'))
  return spec['name']
}
