import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { FORMATS } from '../../src/index.ts'
import type { Format } from '../../src/index.ts'
import { grammarDiagram } from '../../src/grammar/diagram.ts'

const FORMATS_FOLDER = resolve(import.meta.dirname, '../../src/formats')

/** The formats that a folder exports, in the order of the registry. */
export async function formatsOf(folder: string): Promise<readonly Format[]> {
  const exported = new Set<unknown>(
    Object.values((await import(`${FORMATS_FOLDER}/${folder}/index.ts`)) as Record<string, unknown>),
  )
  return FORMATS.filter((format) => exported.has(format))
}

/** The page of a family: the README of its folder, a table of its formats, and the states that its replies are read by. */
export async function formatPage(folder: string): Promise<string> {
  const formats = await formatsOf(folder)
  const readme = readFileSync(`${FORMATS_FOLDER}/${folder}/README.md`, 'utf8').trimEnd()
  const source = `[README](../../packages/core/src/formats/${folder}/README.md)`
  return `${[
    // A README links its neighbours; here they are pages.
    readme.replaceAll(/\]\(\.\.\/([^)/]+)\/README\.md\)/g, ']($1.md)'),
    '## At a glance',
    table(formats),
    `## The states of a reply`,
    'One box is one place in a reply, with what the text there is; an arrow is the marker that ends it.',
    ...diagrams(formats),
    `Made from the ${source} of the folder and from the format itself.`,
  ].join('\n\n')}\n`
}

function table(formats: readonly Format[]): string {
  const row = (name: string, of: (format: Format) => string): string =>
    `| ${[name, ...formats.map((format) => of(format).replaceAll('|', '\\|'))].join(' | ')} |`
  return [
    row('', ({ id }) => `\`${id}\``),
    row('---', () => '---'),
    row('models', ({ about }) => about.models),
    row('source', ({ about }) => about.source),
    row('licence', ({ about }) => about.licence),
    row('prompt', ({ prompt }) => (prompt === null ? 'none: reading and writing only' : 'yes')),
    row('versions', ({ versions }) => texts(versions)),
    row('ends a turn', ({ stops }) => texts(stops.end)),
    row('hands over to tools', ({ stops }) => texts(stops.handOver)),
    row('several calls in a reply', ({ traits }) => yes(traits.severalCalls)),
    row('ids in the reply', ({ traits }) => yes(traits.ids)),
    row('thoughts', ({ traits }) => yes(traits.reasoning)),
    row('values typed by schema', ({ traits }) => yes(traits.typedValues)),
  ].join('\n')
}

function diagrams(formats: readonly Format[]): readonly string[] {
  const byDiagram = new Map<string, string[]>()
  for (const { id, grammar } of formats) {
    if (grammar === undefined) continue
    const diagram = grammarDiagram(grammar)
    byDiagram.set(diagram, [...(byDiagram.get(diagram) ?? []), `\`${id}\``])
  }
  return [...byDiagram].map(([diagram, ids]) => `${ids.join(', ')}:\n\n\`\`\`mermaid\n${diagram}\n\`\`\``)
}

function texts(all: readonly string[]): string {
  return all.length === 0 ? 'none' : all.map((text) => `\`${text}\``).join(', ')
}

function yes(is: boolean): string {
  return is ? 'yes' : 'no'
}
