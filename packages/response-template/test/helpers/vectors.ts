import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDict, isList, loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { NamedInputs } from '../../src/index.ts'

/** The public vectors, where they are next to the repository. */
export const VECTORS = resolve(import.meta.dirname, '../../../../../shared/vectors/response-template')

/** Whether the vectors are there; tests that need them are skipped otherwise. */
export const hasVectors = existsSync(VECTORS)

/** The lines of a file of the vectors that have an answer. */
export function vectorLines(file: string): readonly PyDict[] {
  const lines = readFileSync(`${VECTORS}/${file}.jsonl`, 'utf8').split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => dictOf(loads(line)))
}

/** The templates, tools and schemas that lines name. */
export function namedInputs(): NamedInputs {
  const templates = dictOf(loads(readFileSync(`${VECTORS}/templates.json`, 'utf8')))
  const schemas = loads(readFileSync(`${VECTORS}/schemas.json`, 'utf8'))
  return {
    templates: byId(templates.get('templates') ?? null, 'template'),
    tools: dictOf(templates.get('tools') ?? null),
    schemas: byId(schemas, 'schema'),
  }
}

function byId(list: PyValue, member: string): ReadonlyMap<string, PyValue> {
  const entries = isList(list) ? list.map(dictOf) : []
  return new Map(entries.map((entry) => [String(entry.get('id')), entry.get(member) ?? null] as const))
}

/** The value as an object. */
export function dictOf(value: PyValue): PyDict {
  if (isDict(value)) return value
  throw new Error('This line of the vectors is no object.')
}
