// Puts cases that are made here beside those that were written by hand or recorded.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { loads } from '@callspec/python'

import { printJson, readRetiredIds } from '../../dist/index.js'

const REPOSITORY = resolve(import.meta.dirname, '../../../..')

/** The files of the cases: path below the repository -> text. Cases that stand there and were not made here stay. */
export function filesOf(cases) {
  const files = new Map()
  for (const [path, some] of grouped(cases)) {
    const [fixture, golden] = [`fixtures/${path}.json`, `golden/${path}.json`]
    files.set(fixture, printJson(mergedFixture(fixture, some)))
    files.set(golden, printJson(mergedGolden(golden, some)))
  }
  return files
}

/** Whether a file on disk is as it should be. */
export function isCurrent(path, text) {
  const file = join(REPOSITORY, path)
  return existsSync(file) && readFileSync(file, 'utf8') === text
}

export function put(path, text) {
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

/** What stands there keeps its spelling: numbers would not survive `JSON.parse`. */
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
