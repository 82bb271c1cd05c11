import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

// Templates that try to use up time or memory, each rendered with the default limits by a process of its own group, so that
// one that ends the process is seen.

const TEMPLATE = fileURLToPath(new URL('../dist/index.js', import.meta.url))

/** What texts repeat: something is slow on each, as on a word full of hyphens. */
const REPEATED = ['x', '&', '<a ', '-', 'ab--', ' ', '1', '\\n', '😀']
/** Above and below the size from which the reading of a text is charged eight times. */
const BASES = REPEATED.flatMap((text) =>
  [15_000_000, 1_000_000].map((units) => `'${text}' * ${Math.floor(units / text.length)}`),
)

const APPLIED = [
  ...[
    'b|e|e|e',
    'b|urlize',
    'b|wordwrap(1)',
    'b|wordwrap(79, false)',
    'b|striptags',
    'b|title',
    'b|wordcount',
    'b|tojson',
  ],
  ...["b|replace('', 'yy')", 'b|urlencode', 'b|list', 'b|indent(4, true)', 'b|int', 'b|float', 'b|reverse|list|join'],
  ...[
    "b|map('upper')|list",
    'b.split()|length',
    "b.split('1')|length",
    'b.encode()',
    'b.swapcase() ~ b',
    "b.translate({}) ~ ''",
  ],
  ...[
    "'%s%s%s' % (b, b, b)",
    "'{0}{0}{0}'.format(b)",
    'b.expandtabs(1000)',
    'b == b ~ 1',
    "b in (b ~ 'z')",
    'b.zfill(99999999)',
  ],
]

/** A value that doubles: 60 doublings are more than any machine holds. */
const DOUBLED = [
  ['list', '[1]', '[ns.x, ns.x]'],
  ['tuple', '(1,)', '(ns.x, ns.x)'],
  ['dict', '{}', "{'a': ns.x, 'b': ns.x}"],
  ['flat list', '[1]', 'ns.x + ns.x'],
  ['flat tuple', '(1,)', 'ns.x + ns.x'],
  ['int', '7', 'ns.x * ns.x'],
  ['text', "'ab'", 'ns.x ~ ns.x'],
  ['joined text', "'ab'", '[ns.x, ns.x]|join'],
] as const
const USES = [
  ...[
    '{{ ns.x }}',
    '{{ ns.x|tojson }}',
    '{{ {ns.x: 1} }}',
    '{{ {}[ns.x] }}',
    '{{ ns.x == [ns.x] }}',
    '{{ [ns.x, 1]|unique|list }}',
  ],
  ...['{{ ns.x|pprint }}', '{{ ns.x|string|length }}', '{{ [ns.x, ns.x]|sort|list }}', '{{ ns.x < ns.x }}'],
]

const ATTACKS: readonly string[] = [
  ...BASES.flatMap((base) => APPLIED.map((use) => `{% set b = ${base} %}{{ ${use} }}`)),
  ...DOUBLED.flatMap(([, first, next]) =>
    USES.map(
      (use) => `{% set ns = namespace(x=${first}) %}{% for i in range(60) %}{% set ns.x = ${next} %}{% endfor %}${use}`,
    ),
  ),
  // Each text is small enough, all of them are not.
  "{% set ns = namespace(x=[]) %}{% for i in range(9999) %}{% set ns.x = ns.x + ['x' * 9000000 ~ i] %}{% endfor %}",
  "{% for i in range(9999) %}{% set t %}{{ 'x' * 9000000 }}{{ i }}{% endset %}{% endfor %}",
  "{% macro f(n) %}{{ 'y' * 9000000 }}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}",
  "{% set d = dict() %}{% for i in range(99999) %}{% set _ = d.update({'k' * 99999 ~ i: i}) %}{% endfor %}",
]

interface Ended {
  readonly how: string
  readonly ms: number
}

describe('every attack on time or memory', () => {
  it('is one of more than 500', () => {
    expect(ATTACKS.length).toBeGreaterThan(500)
  })

  const groups = Array.from({ length: Math.ceil(ATTACKS.length / 40) }, (_, group) =>
    ATTACKS.slice(40 * group, 40 * group + 40),
  )
  it.each(groups.map((sources, group) => [group, sources] as const))(
    'ends with a text or a named error within 500 MB: group %i',
    { timeout: 400_000 },
    (_, sources) => {
      const { stdout, stderr, status } = spawnSync(process.execPath, ['--max-old-space-size=450', '-e', PROGRAM], {
        input: JSON.stringify({ TEMPLATE, sources }),
        encoding: 'utf8',
        maxBuffer: 1 << 26,
      })

      expect([status, stderr]).toEqual([0, ''])
      const { ends, megabytes } = JSON.parse(stdout) as { ends: readonly Ended[]; megabytes: number }
      if (process.env['SHOW_ATTACKS'] !== undefined) {
        const slowest = ends.map((end, at) => ({ ...end, source: sources[at] })).toSorted((a, b) => b.ms - a.ms)
        console.log(megabytes, slowest.slice(0, 4))
      }
      expect(ends.map(({ how }) => how).filter((how) => !/^(?:text|\w+Error)$/.test(how))).toEqual([])
      expect(megabytes).toBeLessThan(500)
    },
  )
})

/** Linux's `maxRSS` begins with the size of the process that started this one, a worker of all long tests; `VmHWM` does not. */
const PROGRAM = `
const { existsSync, readFileSync } = require('node:fs')
const megabytes = () => {
  const peak = existsSync('/proc/self/status') && /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))
  return Math.round((peak ? Number(peak[1]) : process.resourceUsage().maxRSS) / 1024)
}
let input = ''
process.stdin.setEncoding('utf8').on('data', (text) => (input += text)).on('end', async () => {
  const { TEMPLATE, sources } = JSON.parse(input)
  const { compileTemplate } = await import(TEMPLATE)
  const ends = sources.map((source) => {
    const before = performance.now()
    const rendering = compileTemplate(source).render({})
    const how = rendering.kind === 'rendered' ? 'text' : rendering.error.type
    return { how, ms: Math.round(performance.now() - before) }
  })
  console.log(JSON.stringify({ ends, megabytes: megabytes() }))
})
`
