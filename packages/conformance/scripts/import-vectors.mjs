// Turns vector files (JSON Lines: inputs and answers of the reference in one line) into fixtures and golden files.
//
//   node packages/conformance/scripts/import-vectors.mjs [--add] FOLDER [REPOSITORY]
//
// Replaces what REPOSITORY/fixtures and REPOSITORY/golden hold of the programs that the vectors are of; with --add, only
// adds to it, and a case that is there already is recorded anew. Needs a build.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

import { loads } from '@callspec/python'

import { printJson, readCase } from '../dist/index.js'

/** A commit of the main branch, as vectors name it; goes into `recordedFrom`. */
const MAIN = /^main@(?<commit>[0-9a-f]+) \((?<version>[0-9.]+)\)$/

/** The programs that answered, by the folder of their cases, with the commits of their versions. */
const PROGRAMS = {
  'qwen-agent': {
    name: 'Qwen-Agent',
    commits: { 'v0.0.26': '37e7e5f', 'v0.0.16': 'b28fc76', 'v0.0.13': '8fe8f09', 'v0.0.7': '3c4f8d0' },
  },
  metagpt: { name: 'MetaGPT', commits: { main: '1dfce07', 'v0.8.2': 'df9bc18', 'v0.8.1': 'c036574' } },
}

const args = process.argv.slice(2)
const adds = args[0] === '--add'
const [folder, repository = resolve(import.meta.dirname, '../../..')] = adds ? args.slice(1) : args
if (folder === undefined) {
  process.stderr.write('usage: node import-vectors.mjs [--add] FOLDER [REPOSITORY]\n')
  process.exit(2)
}

const suites = new Map()
for (const name of (await readdir(folder)).filter((each) => each.endsWith('.jsonl')).sort()) {
  const lines = (await readFile(join(folder, name), 'utf8')).split('\n').filter((line) => line !== '')
  for (const [at, line] of lines.entries()) addVector(loads(line), `${name}:${at + 1}`)
}
if (!adds) {
  const programs = new Set([...suites.values()].map(({ program }) => program))
  for (const part of ['fixtures', 'golden'])
    for (const program of programs) await rm(join(repository, part, program), { recursive: true, force: true })
}
for (const [path, suite] of suites) {
  await write(join(repository, 'fixtures', path), fixtureOf(suite), 'cases')
  await write(join(repository, 'golden', path), goldenOf(suite), 'answers')
}
process.stdout.write(`${suites.size} fixtures and as many golden files\n`)

function addVector(vector, where) {
  const { op, profile } = readCase(vector, where)
  const name = vector.get('suite') ?? 'recorded'
  if (!/^[\w-]+$/.test(name)) throw new Error(`${where}: the suite "${name}" cannot be a file name`)
  const program = op.startsWith('metagpt.') ? 'metagpt' : 'qwen-agent'
  const path = `${program}/${op}/${name}.json`
  const suite = suites.get(path) ?? { op, name, program, tags: new Map(), vectors: [] }
  suite.tags.set(profile, vector.get('upstream_tag') ?? vector.get('input').get('upstream') ?? 'main')
  suite.vectors.push({ profile, vector })
  suites.set(path, suite)
}

function fixtureOf({ op, name, vectors }) {
  const cases = vectors.map(({ profile, vector }) => pick(vector, ['id'], { profile }, ['note', 'input']))
  return new Map([
    ['op', op],
    ['suite', name],
    ['cases', cases],
  ])
}

function goldenOf({ program, tags, vectors }) {
  const answers = vectors.map(({ vector }) => pick(vector, ['id'], {}, ['expected', 'error', 'differs_from_main']))
  return new Map([
    ['recordedFrom', recordedFrom(PROGRAMS[program], tags)],
    ['answers', answers],
  ])
}

/** Program, and per profile the version and the commit. */
function recordedFrom({ name, commits }, tags) {
  const versions = [...tags].map(([profile, tag]) => {
    const branch = MAIN.exec(tag)?.groups
    const version = branch?.version ?? tag
    const commit = branch?.commit ?? commits[tag]
    if (commit === undefined) throw new Error(`the commit of ${tag} is not known; add it to PROGRAMS`)
    return [profile, new Map(Object.entries({ version, commit }))]
  })
  return new Map([
    ['program', name],
    ['versions', new Map(versions)],
  ])
}

function pick(vector, before, own, after) {
  const members = (keys) => keys.filter((key) => vector.has(key)).map((key) => [key, vector.get(key)])
  return new Map([...members(before), ...Object.entries(own), ...members(after)])
}

/** Writes a file; what an older file holds under `list` that is not in the new one stays, in front. */
async function write(path, value, list) {
  const older = loads(await readFile(path, 'utf8').catch(() => `{"${list}": []}`))
  const ids = new Set(value.get(list).map((one) => one.get('id')))
  const kept = older.get(list).filter((one) => !ids.has(one.get('id')))
  const joined = new Map(value).set(list, [...kept, ...value.get(list)])
  const versions = [older, value].flatMap((one) => [...(one.get('recordedFrom')?.get('versions') ?? [])])
  if (versions.length > 0) {
    joined.set('recordedFrom', new Map(value.get('recordedFrom')).set('versions', new Map(versions)))
  }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, printJson(joined))
}
