import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

// The examples in TypeScript, each a file of a project that has the built packages where npm puts them.

const ROOT = resolve(import.meta.dirname, '../../..')
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
  ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/README.md`),
]
/** The parser of the reader, which examples import. */
const PARSER = `export function parse(text: string): { content: string; calls: { name: string; arguments: object }[] } {
  return { content: text, calls: [] }
}
`
const STRICT = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--skipLibCheck']
const PLATFORM = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--allowImportingTsExtensions']

it('of the pages compile under strict', async () => {
  const project = projectWithPackages()

  const files = PAGES.flatMap((page) => writeExamples(page, project))

  expect(files.length).toBeGreaterThan(15)
  expect(await compile(files, project)).toBe('')
})

// Examples that say what they print with lines `// prints: …`.
it('print what they say', async () => {
  const project = projectWithPackages()
  const files = PAGES.flatMap((page) => writeExamples(page, project))
  const loops = files.filter((file) => printedIn(file, project).length > 0)

  expect(loops.map((file) => basename(file))).toEqual(expect.arrayContaining(LOOPS))
  expect(await compile([...EMITTED, ...loops], project)).toBe('')
  for (const file of loops) {
    const program = join(project, 'out', relative('packages', file)).replace(/\.ts$/, '.js')

    expect([file, await run(program, project)]).toEqual([file, printedIn(file, project)])
  }
})

it('of the page for users of Qwen-Agent and MetaGPT name what the packages export', async () => {
  const rows = Array.from(
    read('docs/from-qwen-agent.md').matchAll(/^\|[^|]*\|([^|]*)\| `(@callspec\/[\w/-]+)` *\|$/gm),
    ([, ours = '', from = '']) => ({ names: Array.from(ours.matchAll(/`(\w+)/g), ([, name = '']) => name), from }),
  )
  const project = projectWithPackages()
  const asks = rows.map(
    ({ names, from }) => `
      const module = await import('${from}')
      for (const name of ${JSON.stringify(names)}) if (!(name in module)) console.log('${from}', name)`,
  )
  writeFileSync(join(project, 'names.js'), asks.map((ask) => `{${ask} }`).join('\n'))

  expect(rows.length).toBeGreaterThan(50)
  expect(await run(join(project, 'names.js'), project)).toEqual([''])
})

/** One of each agent that the documents of Qwen-Agent and MetaGPT show. */
const LOOPS = ['fncall-agent.ts', 'react-chat.ts', 'assistant.ts', 'role.ts', 'tutorial-assistant.ts']
const EMITTED = ['--noEmit', 'false', '--rewriteRelativeImportExtensions', '--outDir', 'out', '--rootDir', 'packages']

function printedIn(file: string, project: string): readonly string[] {
  const code = readFileSync(join(project, file), 'utf8')
  return Array.from(code.matchAll(/^\/\/ prints: ?(.*)$/gm), ([, line = '']) => line)
}

/** Writes each block of language `ts` as a file, named by its first line or by its place; gives the files. */
function writeExamples(page: string, project: string): readonly string[] {
  const text = page.endsWith('.md') ? read(page) : ''
  return Array.from(text.matchAll(/^( *)(`{3,})ts\n([^]*?)^\1\2$/gm), ([, , , code = ''], index) => {
    const name = /^\/\/ (\S+\.ts)\b/.exec(code)?.[1] ?? `example-${index + 1}.ts`
    const file = join(page.replace(/\.md$/, ''), name)
    mkdirSync(join(project, dirname(file)), { recursive: true })
    writeFileSync(join(project, dirname(file), 'parser.ts'), PARSER)
    writeFileSync(join(project, file), code)
    return file
  })
}

/** A folder with the built packages where npm puts them. */
function projectWithPackages(): string {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'callspec-examples-')))
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  for (const name of readdirSync(join(ROOT, 'packages')))
    link(name === 'cli' ? 'callspec' : `@callspec/${name}`, `packages/${name}`, project)
  for (const name of ['vitest', '@types/node']) link(name, `node_modules/${name}`, project)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }\n')
  return project
}

/** The lines that a program prints, its errors too; without blanks at their ends. */
function run(program: string, cwd: string): Promise<readonly string[]> {
  return new Promise((done) => {
    execFile(process.execPath, [program], { cwd }, (_, stdout, stderr) =>
      done(
        (stdout + stderr)
          .trimEnd()
          .split('\n')
          .map((line) => line.trimEnd()),
      ),
    )
  })
}

function link(name: string, target: string, project: string): void {
  const path = join(project, 'node_modules', name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(realpathSync(join(ROOT, target)), path)
}

function compile(files: readonly string[], cwd: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  return new Promise((done) => {
    execFile(process.execPath, [tsc, ...STRICT, ...PLATFORM, ...files], { cwd }, (_, stdout) => done(stdout))
  })
}

function read(page: string): string {
  try {
    return readFileSync(join(ROOT, page), 'utf8')
  } catch {
    return ''
  }
}
