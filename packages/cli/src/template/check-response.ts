import { join } from 'node:path'
import type { CaseResult, Implementation } from '@callspec/conformance'
import { builtInCases, differenceLine, findCaseFiles, readCases, runSuite } from '@callspec/conformance'
import type { Format } from '@callspec/core'
import { InputError } from '@callspec/core'
import { plural } from '@callspec/eval/text'
import type { PyDict, PyValue } from '@callspec/python'
import { readByTemplate } from '@callspec/response-template'
import type { ResponseTemplate } from '@callspec/response-template'
import type { Output } from '../output.ts'
import { inert, quotedLine } from '../output.ts'
import { loadedTemplate } from './response-source.ts'
import type { ResponseSource } from './response-source.ts'

/** What a response template makes of the strict replies of a format. */
export interface ResponseCheck {
  readonly name: string
  readonly replies: number
  readonly wrong: readonly WrongReply[]
}

interface WrongReply {
  readonly case: string
  readonly reply: string
  /** One line: what differs, or why the template refuses the reply. */
  readonly difference: string
}

/**
 * Reads the strict replies of a format, those of its parse cases, by a response template. A format of a user has none.
 *
 * @throws UsageError for a template that transformers refuses
 */
export async function checkResponse({ value, name }: ResponseSource, { id }: Format): Promise<ResponseCheck> {
  const reader = implementationOf(loadedTemplate(value, name), id)
  const files = await findCaseFiles([join(await builtInCases(), id, 'parse')]).catch((error: unknown) => {
    if (error instanceof InputError) return []
    throw error
  })
  const results: CaseResult[] = []
  for await (const result of runSuite(readCases(files), reader)) {
    if (result.verdict.kind !== 'skipped') results.push(result)
  }
  return { name, replies: results.length, wrong: results.flatMap(wrongReply) }
}

/** A response template as an implementation of `parse` for one format. */
function implementationOf(template: ResponseTemplate, format: string): Implementation {
  return {
    about: { name: 'response_template', version: '1', supports: [{ operations: ['parse'], formats: [format] }] },
    answer: ({ input }) => {
      const { content, reasoning, calls, raised } = readByTemplate(template, textMember(input), {
        tools: input.get('tools') ?? null,
        isThinking: input.get('thought_in_content') === true || input.get('thinking') === 'open',
      })
      if (raised !== null) return { kind: 'errored', reason: raised }
      const found = calls.map(({ name, arguments: given, id }) => {
        const call: PyDict = new Map([
          ['name', name],
          ['arguments', given],
        ])
        return id === null ? call : new Map([...call, ['id', id]])
      })
      const value = new Map<string, PyValue>([
        ['content', content],
        ['reasoning', reasoning],
        ['calls', found],
      ])
      return { kind: 'returned', value }
    },
  }
}

function textMember(input: PyDict): string {
  const text = input.get('text') ?? null
  return typeof text === 'string' ? text : ''
}

function wrongReply(result: CaseResult): readonly WrongReply[] {
  const { verdict } = result
  if (verdict.kind !== 'failed' && verdict.kind !== 'errored') return []
  const difference = verdict.kind === 'errored' ? verdict.reason : differenceLine(verdict.difference)
  return [{ case: result.case.id, reply: textMember(result.case.input), difference }]
}

/** Prints a line and an example for each topic with a wrong reply, and how many are right. */
export function printResponseCheck({ name, replies, wrong }: ResponseCheck, format: string, output: Output): void {
  for (const [topic, [first, ...others]] of byTopic(wrong)) {
    output.line()
    output.line(`${output.paint('red', '✗')} response template: ${inert(topic)}`)
    output.line(`  ${quotedLine(first.difference, 200)}`)
    output.line(`  reply: ${quotedLine(first.reply, 200)}`)
    if (others.length > 0) output.line(`  and ${others.length} more: --json`)
  }
  output.line()
  output.line(
    replies === 0
      ? `There are no strict replies of ${format} for the response template.`
      : `The response template of ${inert(name)} reads ${replies - wrong.length} of ${plural(replies, 'strict reply', 'strict replies')} of ${format} as meant.`,
  )
}

/** By the file of the case: `nous/parse/cut`. */
function byTopic(wrong: readonly WrongReply[]): ReadonlyMap<string, readonly [WrongReply, ...WrongReply[]]> {
  const topics = new Map<string, [WrongReply, ...WrongReply[]]>()
  for (const each of wrong) {
    const topic = each.case.split('#')[0] ?? each.case
    const known = topics.get(topic)
    if (known === undefined) topics.set(topic, [each])
    else known.push(each)
  }
  return topics
}

export function responseCheckJson({ name, replies, wrong }: ResponseCheck): object {
  return { name, replies, right: replies - wrong.length, wrong }
}
