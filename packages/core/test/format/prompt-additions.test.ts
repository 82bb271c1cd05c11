import { readdirSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FORMATS, joinParts, promptFrame, toolsInSystem } from '../../src/index.ts'
import type { PyDict, PyValue } from '@callspec/python'
import type { Format } from '../../src/index.ts'
import { formatsOf } from '../pages/format-page.ts'

const FOLDER = resolve(import.meta.dirname, '../../src/formats')
const FOLDERS = readdirSync(FOLDER).filter((name) => statSync(`${FOLDER}/${name}`).isDirectory())

const GAPS = FORMATS.filter((format) => {
  const frame = promptFrame(format)
  return frame !== null && (!frame.showsTools || !frame.showsCalls || frame.otherSyntax !== null)
})

describe('a format whose maker’s prompt keeps something from a model', () => {
  it.each(GAPS.map((format) => [format.id, format] as const))(
    'shows in its README how callspec asks instead: %s',
    async (_, format) => {
      const page = await readmeOf(format)

      expect(page).toContain(`\n${promptText(format).trimEnd()}\n`)
    },
  )
})

async function readmeOf({ id }: Format): Promise<string> {
  for (const folder of FOLDERS) {
    const formats = await formatsOf(folder)
    if (formats.some((format) => format.id === id)) return readFileSync(`${FOLDER}/${folder}/README.md`, 'utf8')
  }
  return ''
}

function promptText(format: Format): string {
  const clock: PyDict = new Map<string, PyValue>([
    ['name', 'clock'],
    [
      'parameters',
      new Map<string, PyValue>([
        ['type', 'object'],
        ['properties', new Map()],
      ]),
    ],
  ])
  const user: PyDict = new Map([
    ['role', 'user'],
    ['content', 'What time is it?'],
  ])
  const options = new Map<string, PyValue>([
    ['add_generation_prompt', true],
    ['date', '2026-01-02'],
  ])
  const asked = toolsInSystem(format).prompt?.({ messages: [user], tools: [clock], options })
  return asked?.kind === 'prompted' ? joinParts(asked.parts) : 'no prompt'
}
