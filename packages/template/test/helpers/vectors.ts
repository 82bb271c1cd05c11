import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { PyDict, PyValue } from '@callspec/python'
import { isDict, isList, loads } from '@callspec/python'

/** One rendering by Python's Jinja2: a text, or the kind of a raise. */
export interface Recorded {
  readonly probe: string
  readonly text: string | null
  readonly kind: string | null
}

/** A template in use with everything that Python made of it. */
export interface RecordedTemplate {
  readonly name: string
  readonly source: string
  readonly renderings: readonly Recorded[]
}

const FOLDER = fileURLToPath(new URL('../../../../../shared/vectors/templates/', import.meta.url))

/** The time that the recorded renderings were made at. */
export const NOW: Date = new Date('2026-01-15T12:00:00Z')

/** Templates in use, or none where their texts are absent. */
export function recordedTemplates(): readonly RecordedTemplate[] {
  if (!existsSync(`${FOLDER}rendered.jsonl.gz`)) return []
  const rows = gunzipSync(readFileSync(`${FOLDER}rendered.jsonl.gz`))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
  const found = new Map<string, { name: string; source: string; renderings: Recorded[] }>()
  for (const line of rows) {
    const row = dict(loads(line))
    const sha256 = text(row.get('sha256')) ?? ''
    const path = `${FOLDER}texts/${sha256}.jinja`
    if (!existsSync(path)) continue
    const entry = found.get(sha256) ?? {
      name: text(row.get('template')) ?? '',
      source: readFileSync(path, 'utf8'),
      renderings: [],
    }
    entry.renderings.push({
      probe: text(row.get('probe')) ?? '',
      text: text(row.get('text')),
      kind: text(row.get('kind')),
    })
    found.set(sha256, entry)
  }
  return [...found.values()]
}

/** The variables of each probe by its id, as transformers gives them to a template. */
export function probeVariables(): ReadonlyMap<string, PyDict> {
  if (!existsSync(`${FOLDER}probes.json`)) return new Map()
  const file = dict(loads(readFileSync(`${FOLDER}probes.json`, 'utf8')))
  const probes = file.get('probes') ?? []
  const tools = file.get('tools') ?? null
  return new Map(
    (isList(probes) ? probes : []).map((entry) => [text(dict(entry).get('id')) ?? '', variablesOf(dict(entry), tools)]),
  )
}

function variablesOf(probe: PyDict, tools: PyValue): PyDict {
  return new Map<string, PyValue>([
    ['messages', probe.get('messages') ?? []],
    ['tools', probe.get('tools') === true ? tools : (probe.get('tools') ?? null)],
    ['documents', null],
    ['add_generation_prompt', probe.get('add_generation_prompt') ?? true],
    ['bos_token', '<s>'],
    ['eos_token', '</s>'],
    ['pad_token', ''],
    ['unk_token', ''],
    ...dict(probe.get('kwargs') ?? new Map()),
  ])
}

function dict(value: PyValue): PyDict {
  return isDict(value) ? value : new Map()
}

function text(value: PyValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}
