// Writes the strict cases that are made by rule: replies put together of pieces whose meaning is known.
//
//   node packages/conformance/scripts/write-cases.mjs [--check]
//
// Cases in the same files that were written by hand or recorded stay, and so do recorded answers. With --check nothing is written, and
// the exit code is 1 if a file differs. Needs a build.
import { FORMAT_CASES } from './cases/every-format.mjs'
import { MAKERS_PROMPT_CASES, NAMED_TEMPLATE_CASES, PROMPT_CASES } from './cases/every-prompt.mjs'
import { VERSION_CASES } from './cases/every-version.mjs'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { loads } from '@callspec/python'
import { printJson, readRetiredIds } from '../dist/index.js'

const REPOSITORY = resolve(import.meta.dirname, '../../..')

const cases = [...NAMED_TEMPLATE_CASES, ...FORMAT_CASES, ...PROMPT_CASES, ...MAKERS_PROMPT_CASES, ...VERSION_CASES]
const stale = [...filesOf(cases)].filter(([path, text]) => !isCurrent(path, text))
if (process.argv.includes('--check')) {
  for (const [path] of stale) process.stdout.write(`${path} is not what write-cases.mjs makes\n`)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  for (const [path, text] of stale) put(path, text)
  process.stdout.write(`${cases.length} cases, ${stale.length} files written\n`)
}

/** Path below the repository -> text. Cases of these files that this program does not make stay. */
function filesOf(cases) {
  const files = new Map()
  for (const [path, some] of grouped(cases)) {
    const [fixture, golden] = [`fixtures/${path}.json`, `golden/${path}.json`]
    files.set(fixture, printJson(mergedFixture(fixture, some)))
    files.set(golden, printJson(mergedGolden(golden, some)))
  }
  return files
}

/** Whether a file on disk is as it should be. */
function isCurrent(path, text) {
  const file = join(REPOSITORY, path)
  return existsSync(file) && readFileSync(file, 'utf8') === text
}

function put(path, text) {
  const file = join(REPOSITORY, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function grouped(cases) {
  const groups = new Map()
  const retired = readRetiredIds()
  const seen = new Set()
  for (const item of cases) {
    const path = `${item.format}/${item.op}/${item.topic}`
    const id = `${path}#${item.name}`
    if (seen.has(id)) throw new Error(`two cases have the id ${id}`)
    seen.add(id)
    if (retired.has(id)) continue
    groups.set(path, [...(groups.get(path) ?? []), { ...item, id }])
  }
  return groups
}

/** Read without loss: numbers keep their spelling, which `JSON.parse` would change. */
function mergedFixture(file, some) {
  const [{ op, format, topic, topicAbout }] = some
  const old = readOrEmpty(file)
  const fresh = some.map(({ id, about, evidence, provenance, plain, input, profile = 'strict' }) => ({
    ...{ id, profile, about },
    ...(evidence === undefined ? {} : { evidence }),
    ...(provenance === undefined ? {} : { provenance: lossless(provenance) }),
    ...(plain === undefined ? {} : { plain: lossless(plain) }),
    input: lossless(input),
  }))
  const ids = new Set(fresh.map(({ id }) => id))
  const kept = (old.get('cases') ?? []).filter((item) => !ids.has(item.get('id')))
  const head = loads(JSON.stringify({ op, format, topic, about: old.get('about') ?? topicAbout }))
  return new Map([...head, ['cases', [...kept, ...fresh.map((item) => new Map(Object.entries(item)))]]])
}

function mergedGolden(file, some) {
  const old = readOrEmpty(file)
  const fresh = some.filter(({ expected }) => expected !== undefined)
  const ids = new Set(fresh.map(({ id }) => id))
  const kept = (old.get('answers') ?? []).filter((answer) => !ids.has(answer.get('id')))
  const answers = fresh.map(
    ({ id, expected }) =>
      new Map([
        ['id', id],
        ['expected', lossless(expected)],
      ]),
  )
  const writtenFor = old.get('writtenFor') ?? some[0].writtenFor
  const rest = [...old].filter(([key]) => key !== 'answers' && key !== 'writtenFor')
  const head = fresh.length === 0 && !old.has('writtenFor') ? [] : [['writtenFor', writtenFor]]
  return new Map([...head, ...rest, ['answers', [...kept, ...answers]]])
}

/** Plain data as it is read from a file; what was read already stays. */
function lossless(value) {
  return value instanceof Map ? value : loads(JSON.stringify(value))
}

function readOrEmpty(file) {
  const path = join(REPOSITORY, file)
  return existsSync(path) ? loads(readFileSync(path, 'utf8')) : new Map()
}
