import { readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { FORMATS } from '@callspec/core'
import { formats } from '@callspec/core/qwen-agent'
import { describe, expect, it } from 'vitest'

import { exportsOf, files, importsOf, inputTexts, isDocumented, mentions, places, read, ROOT } from './source.ts'

/** What rebuilds a program, or is built on. */
const REFERENCES = ['python', 'core', 'qwen-agent', 'metagpt']

/** Who may import whom: a package sees those named, and nobody sees the one that comes last. */
const GRAPH: Readonly<Record<string, readonly string[]>> = {
  python: [],
  core: ['python'],
  'qwen-agent': ['python', 'core'],
  'unicode-names': [],
  metagpt: ['python', 'core', 'unicode-names'],
  'tokenizer-qwen': ['core'],
  template: ['python', 'core'],
  'response-template': ['python', 'core', 'template'],
  inspect: ['python', 'core', 'template', 'response-template'],
  apis: ['python'],
  fuzz: ['python', 'core'],
  grammar: ['python', 'core', 'template'],
  conformance: [...REFERENCES, 'apis', 'tokenizer-qwen', 'template', 'response-template'],
  'compat-data': [],
  labels: [],
  sim: [...REFERENCES, 'labels'],
  eval: [...REFERENCES, 'labels', 'apis', 'tokenizer-qwen'],
  bfcl: ['python', 'core', 'eval'],
  vitest: [...REFERENCES, 'template', 'fuzz', 'conformance'],
  report: ['template', 'conformance', 'compat-data', 'fuzz', 'grammar', 'labels', 'eval'],
  playground: ['python', 'core', 'template', 'inspect'],
  queue: ['core', 'eval'],
  proxy: ['python', 'core', 'fuzz', 'apis', 'eval'],
  cli: [
    ...REFERENCES,
    'tokenizer-qwen',
    'fuzz',
    'grammar',
    'conformance',
    'compat-data',
    'sim',
    'eval',
    'bfcl',
    'apis',
    'report',
    'queue',
    'proxy',
    'template',
    'response-template',
    'inspect',
    'playground',
  ],
}
const PACKAGES = Object.keys(GRAPH)

const TOP_LEVEL = [
  ...['packages', 'docs', 'fixtures', 'golden', 'reports', 'package.json', 'pnpm-workspace.yaml', 'tsconfig.json'],
  ...['README.md', 'README.zh.md', 'LICENSE', 'NOTICE', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  'action.yml',
]
const TOOLS = /^(?:\..+|pnpm-lock\.yaml|tsconfig\..+\.json|vitest\..+\.ts|node_modules|coverage)$/

const sources = PACKAGES.flatMap((name) => files(`packages/${name}/src`, /\.ts$/))
const core = REFERENCES.flatMap((name) => files(`packages/${name}/src`, /\.ts$/))
const written = files('packages', /\.(?:ts|js|mjs)$/)

/**
 * How many files outside the folders of formats may name the three that commands began with, in code, texts for people
 * included: as text, as a member, or by the name under which runs write one down. No number is ever raised.
 */
const MOST_NAMING = { nous: 6, qwen: 5, react: 6 }

/** Lines of code that a format costs which a grammar reads, prompt and all. */
const MOST_LINES = 250
/** For each version of a format, which has a prompt of its own. */
const MOST_OF_VERSION = 40

/**
 * Harmony takes conversations in two shapes, writes schemas as types of TypeScript, and reads heads, as Muse Glimmer does. MiniMax-M3 nests
 * tags, which no table of states reads. The prompt of Kimi K3 is an encoder, which sorts keys and results and says choices and forms of answers.
 * Never raised.
 */
const MORE_LINES: Readonly<Record<string, number>> = {
  harmony: 535,
  'minimax-m3': 360,
  'muse-glimmer': 285,
  'kimi-k3': 425,
}

/** `react` is also the mode of a role of MetaGPT. */
const ROLES =
  /^packages\/(?:metagpt\/|conformance\/src\/built-in\/operations\/metagpt\/|eval\/src\/formats\/role-react\/)/

describe('the import graph', () => {
  it.each(PACKAGES)('%s imports only what stands before it, and only what it declares', (name) => {
    const declared = dependenciesOf(name)
    const allowed = new Set((GRAPH[name] ?? []).map((other) => `@callspec/${other}`))

    const wrong = files(`packages/${name}/src`, /\.ts$/).flatMap((path) =>
      importsOf(path)
        .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
        .map(packageOf)
        .filter((specifier) => !(isOurs(specifier) ? allowed : declared).has(specifier) || !declared.has(specifier))
        .map((specifier) => `${path}: ${specifier}`),
    )

    expect(wrong).toEqual([])
  })

  it('nobody reaches into another package, past its entries', () => {
    const entries = new Set(PACKAGES.flatMap(entriesOf))
    const wrong = written.flatMap((path) =>
      importsOf(path)
        .filter(
          (specifier) =>
            (leavesPackage(path, specifier) && !sharesHelper(path, specifier)) ||
            (isOurs(specifier) && !entries.has(specifier)),
        )
        .map((specifier) => `${path}: ${specifier}`),
    )

    expect(wrong).toEqual([])
  })

  it.each(PACKAGES)('%s says in its README what each entry besides the first is for', (name) => {
    const further = entriesOf(name).filter((entry) => !/^(?:@callspec\/)?[^/]+$|\/package\.json$/.test(entry))

    for (const entry of further) expect(read(`packages/${name}/README.md`)).toContain(`\`${entry}\``)
  })

  it('what rebuilds a program touches nothing outside: no node module, clock, random number, environment or console', () => {
    const outside = /\b(?:Date|Math\.random|performance|process|Buffer|console|fetch|setTimeout|globalThis|require)\b/

    expect(core.flatMap((path) => importsOf(path).filter((specifier) => specifier.startsWith('node:')))).toEqual([])
    expect(places(core, outside)).toEqual([])
  })
})

/** The rooms of the evaluation, from the ground up: files import only from their own room and from those before it. */
const FLOORS = [
  ...['text', 'statistics', 'trace', 'shape', 'world', 'suite', 'client'],
  ...['reading', 'formats', 'score', 'judging'],
  ...['metrics', 'summary', 'report', 'compare'],
  ...['store', 'play', 'tape', 'run', 'batch', 'offline', 'doctor'],
]

describe('the rooms of the evaluation', () => {
  const evaluation = files('packages/eval/src', /\/src\/[^/]+\/.*\.ts$/)
  const floorOf = (path: string): number => FLOORS.indexOf(path.split('/')[3] ?? '')

  it('are on the list, all of them and no others', () => {
    expect([...new Set(evaluation.map((path) => path.split('/')[3]))].toSorted()).toEqual(FLOORS.toSorted())
  })

  it('import nothing from a room above', () => {
    const upwards = evaluation.flatMap((path) =>
      importsOf(path)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => join(dirname(path), specifier))
        .filter((target) => !FLOORS.includes(target.split('/')[3] ?? '') || floorOf(target) > floorOf(path))
        .map((target) => `${path}: ${target}`),
    )

    expect(upwards).toEqual([])
  })
})

describe('the language', () => {
  it('has no default exports', () => {
    expect(places(written, /\bexport default\b|\bas default\b/)).toEqual([])
  })

  it('has no enum, no namespace and no any', () => {
    expect(places(sources, /^\s*(?:export )?(?:declare )?(?:const )?(?:enum|namespace) \w/)).toEqual([])
    expect(places(sources, /[:<|&(,]\s*any\b(?!\s*:)|\bas any\b|\bany\[\]/)).toEqual([])
  })

  it('has classes for errors only', () => {
    expect(places(sources, /\bclass \w+(?! extends \w*Error\b)\b(?! extends)/)).toEqual([])
    expect(places(sources, /\bclass \w+ extends (?!\w*Error\b)/)).toEqual([])
  })

  it('in formats and reference code never uses what JavaScript does otherwise than Python', () => {
    const folders = ['core/src/formats/', 'core/src/messages/', 'qwen-agent/src/'].map((folder) => `packages/${folder}`)
    const paths = core.filter((path) => folders.some((folder) => path.startsWith(folder)))

    expect(
      places(paths, /\.trim(?:Start|End)?\(|\bJSON\.(?:parse|stringify)\b|\.replace(?:All)?\((?!.*(?:=>|, ''\)))/),
    ).toEqual([])
    // What calls and breaches look like is nothing that Python reads.
    const ours = /\b(?:opens|texts): /
    expect(mentions(paths, /\/[^/\n]*\\s[^/\n]*\/[dgimsuvy]*[.,)]/).filter((line) => !ours.test(line))).toEqual([])
  })
})

describe('files', () => {
  // A line `// tidy: long because …` lifts the limit.
  it('have at most 500 lines, or say why they have more', () => {
    const long = written.filter((path) => read(path).trimEnd().split('\n').length > 500)

    expect(long.filter((path) => !/^\/\/ tidy: long because \w/m.test(read(path)))).toEqual([])
  })

  it('of sources and scripts have at most 400 lines', () => {
    const scripts = files('packages', /\/(?:scripts|adapters|page|bin)\/.*\.m?js$/)

    expect([...sources, ...scripts].filter((path) => read(path).trimEnd().split('\n').length > 400)).toEqual([])
  })

  it('outside of its folder name no format but the three that commands began with', () => {
    const outside = sources.filter((path) => !path.startsWith('packages/core/src/formats/'))
    const further = FORMATS.map(({ id }) => id).filter((id) => !Object.hasOwn(formats, id))

    const named = outside.filter((path) => further.some((id) => new RegExp(`['"\`]${id}['"\`]`).test(read(path))))

    expect(further.length).toBeGreaterThan(0)
    expect(named).toEqual([])
  })

  it.each(Object.entries(MOST_NAMING))(
    'outside of the folders of formats name %s no more often than allowed',
    (id, most) => {
      const outside = sources.filter((path) => !path.startsWith('packages/core/src/formats/') && !ROLES.test(path))
      // Not `@callspec/tokenizer-qwen`, `qwen-agent`, `role-react`, `formats/react/index.ts`.
      const name = new RegExp(`(?<![\\w/@.-])(?:formats\\.|fncall-)?${id}(?![\\w/-])`)

      const naming = outside.filter((path) => name.test(withoutComments(read(path))))

      expect(naming.length, naming.join('\n')).toBeLessThanOrEqual(most)
    },
  )

  it('of a format stand in a folder with a README', () => {
    const folders = core.filter((path) => /\/formats\/[^/]+\/index\.ts$/.test(path)).map((path) => dirname(path))

    expect(folders.length).toBeGreaterThan(0)
    for (const folder of folders) expect(files(folder)).toContain(`${folder}/README.md`)
  })

  it('of a format are short: without blank lines and comments, a folder has so many lines for each of its formats', () => {
    const folders = core.filter((path) => /\/formats\/[^/]+\/index\.ts$/.test(path)).map((path) => dirname(path))
    // The other three have the versions of Qwen-Agent, too.
    const grammars = folders.filter((folder) => !Object.hasOwn(formats, folder.split('/').at(-1) ?? ''))

    const long = grammars.filter((folder) => {
      const formatsInIt = read(`${folder}/index.ts`).match(/^export const \w+: Format\b/gm)?.length ?? 1
      const versions = read(`${folder}/index.ts`).match(/^ +'[a-z0-9.-]+': /gm)?.length ?? 0
      const usual = MOST_LINES * formatsInIt + MOST_OF_VERSION * versions
      const most = MORE_LINES[folder.split('/').at(-1) ?? ''] ?? usual
      const code = files(folder, /\.ts$/).flatMap((path) => withoutComments(read(path)).split('\n'))
      return code.filter((line) => line.trim() !== '').length > most
    })

    expect(grammars.length).toBeGreaterThan(10)
    expect(long).toEqual([])
  })

  it.each(PACKAGES)('%s has a doc comment for everything that it exports', (name) => {
    const sources = sourcesOf(name)

    const bare = sources.flatMap(exportsOf).filter((entry) => !isDocumented(entry))

    expect(bare.map(({ name: what, path }) => `${path}: ${what}`)).toEqual([])
  })

  it('at the top are these and no others', () => {
    const found = readdirSync(ROOT).filter((name) => !TOOLS.test(name))

    expect(found.toSorted()).toEqual(TOP_LEVEL.toSorted())
  })

  it('set a container up with the pnpm of the workspace, in plain JSON', () => {
    const { image, ...container } = JSON.parse(read('.devcontainer/devcontainer.json')) as Record<string, unknown>
    const { packageManager } = JSON.parse(read('package.json')) as { readonly packageManager: string }

    expect(image).toMatch(/^mcr\.microsoft\.com\/devcontainers\/javascript-node:2\d-/)
    expect(container['postCreateCommand']).toBe(
      `npx --yes ${packageManager} install --frozen-lockfile && npx --yes ${packageManager} build`,
    )
    expect(read('README.md')).toContain(`npx --yes ${packageManager} test`)
  })

  it('name no machine, and nobody’s place of work', () => {
    const texts = [...files('.', /^(?!golden|fixtures|packages\/tidy).*\.(?:ts|js|mjs|json5?|md|ya?ml)$/), 'NOTICE']

    expect(mentions(texts, /(?<![\w.:@*/-])\/(?:work|root|home|Users|mnt)\/\w|[A-Z]:\\Users\\/)).toEqual([])
    expect(mentions(texts, /\b(?:integrator|sub-?agents?|coding agents?|worker [A-H])\b/i)).toEqual([])
  })
})

describe('packages', () => {
  const LICENSED = [
    ...REFERENCES,
    'template',
    'inspect',
    'fuzz',
    'grammar',
    'conformance',
    'compat-data',
    'labels',
    'sim',
    'eval',
    'bfcl',
    'report',
    'playground',
    'queue',
    'proxy',
    'vitest',
    'cli',
  ]

  it.each(LICENSED)('%s carries the notice of the repository', (name) => {
    expect(read(`packages/${name}/NOTICE`)).toBe(read('NOTICE'))
  })

  it('have one version', () => {
    const versions = PACKAGES.map((name) => manifestOf(name).version)

    expect(new Set(versions).size).toBe(1)
  })

  it('what was compiled is written down beside it: without `dist` it is compiled again', () => {
    const emitting = files('packages', /\btsconfig(?:\.\w+)?\.json$/).filter((path) => /"outDir"/.test(read(path)))

    expect(emitting.length).toBeGreaterThan(15)
    for (const path of emitting) expect(read(path), path).toMatch(/"tsBuildInfoFile": "dist\/\.(?:\w+\.)?tsbuildinfo"/)
  })
})

describe('workflows', () => {
  const folder = '.github/workflows'
  const workflows = readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`)

  it('name actions by commit, with the version, also where the documentation shows them', () => {
    const lines = [...workflows, 'docs/ci.md'].flatMap((file) => read(file).split('\n'))
    const actions = lines.filter((line) => /^ *-? *uses: (?!\.\/)/.test(line))

    expect(actions.length).toBeGreaterThan(workflows.length)
    expect(actions.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
  })

  it('let only the job that publishes prove who it is', () => {
    const jobs = workflows.flatMap((file) => read(file).split(/^(?=  [\w-]+:$)/m))
    const proving = jobs.filter((job) => job.includes('id-token: write\n'))

    expect(proving).toHaveLength(1)
    expect(proving[0]).toMatch(/^ {2}publish:[^]* run release\n/)
    expect(jobs.filter((job) => job.includes(' run release\n'))).toEqual(proving)
  })
})

describe('what rebuilds a program holds no recorded answers', () => {
  it('names neither the folders nor the ids of cases, and loads nothing', () => {
    expect(mentions(core, /\b(?:golden|fixtures|vectors)\/|\/[0-9a-f]{12}\b/)).toEqual([])
    const loader = 'packages/core/src/formats/load-format.ts'
    const others = core.filter((path) => path !== loader)
    expect(places(others, /\bimport\(|\bimport\.meta\b/)).toEqual([])
    // It names what it loads: no path is put together.
    expect(mentions([loader], /\bimport\((?!'\.\/[\w.-]+\/index\.ts'\))|\bimport\.meta\b/)).toEqual([])
    for (const name of REFERENCES) expect(files(`packages/${name}/src`, /^(?!.*(?:\.ts|README\.md)$)/)).toEqual([])
  })

  it('contains no text that a case gives it', () => {
    const everything = core.map(read).join('\n')

    // These the reference knows by itself: its default system message and the names of two strategies.
    const strategies = ['SplitQueryThenGenKeyword', 'SplitQueryThenGenKeywordWithKnowledge']
    const own = new Set(['You are a helpful assistant.', ...strategies])
    const given = new Set(files('fixtures/qwen-agent', /\.json$/).flatMap((path) => inputTexts(path)))

    expect(given.size).toBeGreaterThan(400)
    expect([...given].filter((text) => everything.includes(text) && !own.has(text))).toEqual([])
  })
})

/** The code of a file; comments may say of what a line is true. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, () => '').replaceAll(/^\s*\/\/.*$/gm, () => '')
}

/** What a specifier names the package of: the specifier without a second entry's name. */
function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}

/** How the entries of a package are imported. */
function entriesOf(name: string): readonly string[] {
  const { name: full, exports = {} } = manifestOf(name)
  return Object.keys(exports).map((entry) => full + entry.slice(1))
}

/** The sources of a package's entries. */
function sourcesOf(name: string): readonly string[] {
  const { exports = {} } = manifestOf(name)
  return Object.values(exports).flatMap((entry) => {
    const source = typeof entry === 'string' ? undefined : entry['@callspec/source']
    return source === undefined ? [] : [join(`packages/${name}`, source)]
  })
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

function manifestOf(name: string): Manifest {
  return JSON.parse(read(`packages/${name}/package.json`)) as Manifest
}

function dependenciesOf(name: string): ReadonlySet<string> {
  const { dependencies = {}, peerDependencies = {} } = manifestOf(name)
  return new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies)])
}

function isOurs(specifier: string): boolean {
  return specifier.startsWith('@callspec/') || /^callspec(?:\/|$)/.test(specifier)
}

/** Tests may use what another package's tests have made. */
function sharesHelper(path: string, specifier: string): boolean {
  const tests = /^packages\/[^/]+\/(?:test|bench)\//
  return tests.test(path) && tests.test(join(dirname(path), specifier))
}

function leavesPackage(path: string, specifier: string): boolean {
  const home = path.split('/').slice(0, 2).join('/')
  return specifier.startsWith('.') && !relative(home, join(dirname(path), specifier)).match(/^(?!\.\.)/)
}
