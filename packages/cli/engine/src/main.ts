import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { doctor, checkRendered, checkSaid } from './checks.ts'
import type { EngineServer } from './door.ts'
import { makeModel, NoEngine, startEngine } from './door.ts'
import { byItself, forcedCalls, saidCalls, wrongTemplate } from './evaluations.ts'
import type { Figure } from './program.ts'
import { areRight, tableOf } from './program.ts'
import { openScript } from './script.ts'

/** Wrong templates, and the cause that an evaluation must name: for the scripted model, or for the tiny one. */
const WRONG = [
  { name: 'without-tools', rule: 'prompt-not-rendered', isScripted: false },
  { name: 'other-calls', rule: 'call-left-in-text', isScripted: true },
]
const TEMPLATES = resolve(import.meta.dirname, '../templates')

const folder = mkdtempSync(join(tmpdir(), 'callspec-engine-'))
try {
  const model = join(folder, 'tiny.gguf')
  await makeModel(model)
  const figures = [...(await withOwnTemplate(model)), ...(await withOtherTemplates(model))]
  process.stdout.write(
    `${tableOf(figures)}\n${areRight(figures) ? 'All figures are as wanted.' : 'Those that are OFF are not as wanted.'}\n`,
  )
  process.exitCode = areRight(figures) ? 0 : 1
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof NoEngine) process.stdout.write(`engine: skipped: ${message}\n`)
  else process.stderr.write(`engine: ${message}\n`)
  process.exitCode = error instanceof NoEngine ? 0 : 3
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function withOwnTemplate(model: string): Promise<readonly Figure[]> {
  const door = await startEngine({ model, template: null })
  process.stdout.write(
    `llama.cpp ${door.version} with a tiny model without trained weights; the table takes half a minute.\n`,
  )
  try {
    return await allOf(door)
  } finally {
    await door.close()
  }
}

async function allOf(door: EngineServer): Promise<readonly Figure[]> {
  const place = { door, folder }
  const checked = [...(await doctor(place)), ...(await checkSaid(place)), ...(await checkRendered(place))]
  const own = [...(await byItself(door, folder)), ...(await forcedCalls(door, folder))]
  const script = await openScript(door)
  try {
    return [...checked, ...own, ...(await saidCalls(script, place))]
  } finally {
    await script.close()
  }
}

async function withOtherTemplates(model: string): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const { name, rule, isScripted } of WRONG) {
    const door = await startEngine({ model, template: join(TEMPLATES, `${name}.jinja`) })
    const script = await openScript(door)
    const { url } = isScripted ? script : door
    figures.push(await wrongTemplate(url, { folder, name, rule }))
    await script.close()
    await door.close()
  }
  return figures
}
