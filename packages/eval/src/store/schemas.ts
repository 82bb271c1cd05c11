import { readFileSync } from 'node:fs'
import { Validator } from '@cfworker/json-schema'
import type { Schema } from '@cfworker/json-schema'
import type { TraceLine } from '../trace/trace.ts'
import { ownFile } from '../text/own-file.ts'

/** The schemas of the files of a run folder; a line of the journal is checked as what its `kind` says. */
export type SchemaName = 'run' | LineKind | 'episodes' | 'summary'

type LineKind = TraceLine['kind']

/** What a line of the journal may be. */
export const LINE_KINDS: readonly LineKind[] = ['turn', 'call', 'end', 'retry', 'restart']

/** Whether something is the kind of a line. */
export function isLineKind(kind: unknown): kind is LineKind {
  return (LINE_KINDS as readonly unknown[]).includes(kind)
}

/** What is wrong with a value under one of the schemas in `schemas/`, with the place; null when nothing is. */
export function schemaFault(name: SchemaName, value: unknown): string | null {
  const { valid, errors } = validator(name).validate(value)
  if (valid) return null
  // The outermost comes first; what stands deepest says most.
  const error = errors.at(-1)
  const place = (error?.instanceLocation ?? '').replace(/^#\/?/, '').replaceAll('/', '.')
  return `${place === '' ? '' : `"${place}": `}${error?.error ?? 'does not fit its schema'}`
}

const made = new Map<SchemaName, Validator>()

/** Made once: reading the file takes longer than checking a line. */
function validator(name: SchemaName): Validator {
  const known = made.get(name)
  if (known !== undefined) return known
  const isLine = isLineKind(name)
  const file = isLine ? { ...readSchema('turns'), oneOf: [{ $ref: `#/$defs/${name}` }] } : readSchema(name)
  const fresh = new Validator(file, '2020-12', true)
  made.set(name, fresh)
  return fresh
}

function readSchema(file: string): Schema {
  return JSON.parse(readFileSync(ownFile(`schemas/${file}.schema.json`), 'utf8')) as Schema
}
