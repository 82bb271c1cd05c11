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
import { dirname, join, resolve } from 'node:path'
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
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'callspec-examples-')))
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  for (const name of readdirSync(join(ROOT, 'packages')))
    link(name === 'cli' ? 'callspec' : `@callspec/${name}`, `packages/${name}`, project)
  for (const name of ['vitest', '@types/node']) link(name, `node_modules/${name}`, project)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }\n')

  const files = PAGES.flatMap((page) => writeExamples(page, project))

  expect(files.length).toBeGreaterThan(15)
  expect(await compile(files, project)).toBe('')
})

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
