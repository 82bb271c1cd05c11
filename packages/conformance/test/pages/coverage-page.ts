import type { countCases, Taxonomy, TopicCounts } from '../../src/index.ts'
import { table } from './markdown.ts'

/** What the page counts. */
export interface Counted {
  readonly version: string
  readonly taxonomy: Taxonomy
  readonly operations: Awaited<ReturnType<typeof countCases>>
  readonly topics: TopicCounts
}

/** The page with the parts between its comments, `<!-- topics -->` to `<!-- /topics -->`, written again. */
export function coveragePage(page: string, counted: Counted): string {
  const parts = { formats: formatsPart(counted), topics: topicsPart(counted), reasons: reasonsPart(counted) }
  return Object.entries(parts).reduce((text, [name, part]) => {
    const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->\n`]
    const [from, to] = [text.indexOf(begin), text.indexOf(end)]
    if (from < 0 || to < from) throw new Error(`docs/coverage.md: no ${begin.trim()} before ${end.trim()}`)
    return `${text.slice(0, from)}${begin}\n${part}\n\n${text.slice(to)}`
  }, page)
}

const OPERATIONS = ['parse', 'stream', 'render'] as const

/** A row per format, the programs in sentences. */
function formatsPart({ version, operations, topics }: Counted): string {
  const of = (name: string): ReadonlyMap<string, number> => operations.get(name) ?? new Map<string, number>()
  const count = (name: string): number => [...of(name).values()].reduce((sum, each) => sum + each, 0)
  const rows = topics.formats.toSorted().map((format) => {
    const numbers = OPERATIONS.map((operation) => of(format).get(operation) ?? 0)
    return [`\`${format}\``, ...[...numbers, count(format)].map(String)]
  })
  const all = [...operations.keys()].reduce((sum, name) => sum + count(name), 0)
  return [
    `Version ${version} has ${all} cases of ${topics.formats.length} formats and of three programs:`,
    table(['format', ...OPERATIONS, 'all'], rows),
    [
      `- Cases of \`stop\` and \`loop\`, which nous, qwen and react have, are in the last column only.`,
      `- ${of('qwen-agent').size} functions of Qwen-Agent have ${count('qwen-agent')} cases, ${of('metagpt').size} of MetaGPT have ${count('metagpt')}.`,
      `- Response templates have ${count('response-template')} cases.`,
    ].join('\n'),
  ].join('\n\n')
}

/** A row per topic: its cases, how many formats have one, and how many such a format has. */
function topicsPart({ taxonomy, topics: { formats, at } }: Counted): string {
  const rows = taxonomy.topics.map(({ topic, about }) => {
    const counts = formats.map((format) => at(format, topic)).filter((count) => count > 0)
    const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
    const sum = counts.reduce((total, each) => total + each, 0)
    const range = fewest === most ? String(most) : `${fewest}–${most}`
    return [`\`${topic}\`: ${about}`, String(sum), String(counts.length), counts.length === 0 ? '–' : range]
  })
  return table(['topic', 'cases', 'formats', 'of each'], rows)
}

/** Why formats have no case about a topic, with their names unless they are most. */
function reasonsPart({ topics: { formats, at, reasons } }: Counted): string {
  const lines = reasons.map((reason) => {
    const [, topic = '', rest = ''] = /^([\w-]+): (.*)$/.exec(reason) ?? []
    const without = formats.filter((format) => topic !== '' && at(format, topic) === 0)
    if (topic === '') return `- ${reason}`
    const names = without.length * 2 > formats.length ? `${without.length} formats` : without.join(', ')
    return `- \`${topic}\`: ${rest.replace(/\.$/, '')}. Without a case: ${names}.`
  })
  return lines.join('\n')
}
