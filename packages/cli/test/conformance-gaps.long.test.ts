import { join } from 'node:path'
import { readTaxonomy } from '@callspec/conformance'
import { expect, it } from 'vitest'

import { inProcess } from './helpers/in-process.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures')

async function gaps(...formats: readonly string[]): Promise<readonly string[]> {
  const cases = formats.flatMap((format) => ['--cases', join(FIXTURES, format)])
  const { code, stdout } = await inProcess(['conformance', 'gaps', '--profile', 'strict', ...cases])
  expect(code).toBe(0)
  return stdout.split('\n')
}

/** The numbers of cases of each format about a topic, as the table has them. */
function column(lines: readonly string[], topic: string): readonly string[] {
  const head = lines.findIndex((line) => line.startsWith('format') && line.split(/\s+/).includes(topic))
  const at = lines[head]?.split(/\s+/).indexOf(topic) ?? 0
  const end = lines.indexOf('', head)
  return lines.slice(head + 2, end).map((line) => line.split(/\s+/)[at] ?? '')
}

it('counts the cases of every format about every topic', async () => {
  const lines = await gaps('llama3-json', 'react')

  expect(column(lines, 'format')).toEqual(['react', 'llama3-json'])
  expect(
    column(lines, 'cut')
      .map(Number)
      .every((count) => count > 5),
  ).toBe(true)
  expect(column(lines, 'several-calls')).toEqual(['.', '.'])
})

it('says why places have none: of topics, of operations, of one place', async () => {
  const lines = await gaps('llama3-json', 'react')

  expect(lines).toContain('several-calls: asked where a reply may hold several calls')
  expect(lines.join('\n')).toContain('1 of the formats: only parse and stream: Its prompts come from templates')
  expect(lines.join('\n')).toContain('react/render/as-generated: The prompt of a first model call shows no calls')
})

it('leaves no empty place without a reason', async () => {
  const { stdout } = await inProcess(['conformance', 'gaps'])
  const lines = stdout.split('\n')
  const onlyReplies = Array.from(
    stdout.matchAll(/ of the formats: only parse and stream: .* \((.*)\)$/gm),
    ([, names = '']) => names.split(', '),
  ).flat()
  const { topics } = readTaxonomy()
  const names = column(lines, 'format')

  const unexplained = topics.flatMap(({ topic, required }) => {
    const isOfReplies = required.some((op) => op === 'parse' || op === 'stream')
    const isTold = lines.some((line) => line.startsWith(`${topic}: `))
    return column(lines, topic).flatMap((count, at) => {
      const isExcused = isTold || (!isOfReplies && onlyReplies.includes(names[at] ?? ''))
      return count === '.' && !isExcused ? [`${names[at] ?? ''}/${topic}`] : []
    })
  })

  expect(onlyReplies.length).toBeGreaterThan(20)
  expect(unexplained).toEqual([])
})

it('says that nothing is selected', async () => {
  const { code, stderr } = await inProcess(['conformance', 'gaps', '--format', 'nowhere'])

  expect(code).toBe(2)
  expect(stderr).toContain('nowhere')
})
