import { FORMAT_IDS } from '@callspec/core/formats'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command, Invocation, ExitCode } from '../command.ts'
import { EXIT } from '../command.ts'
import { isThere, writeNew, writeFileAtomically } from '../write-file.ts'
import { formatCases, formatFolder, formatModule, withEntry, withExport, withLoader } from '../new/format-files.ts'
import { inert } from '../output.ts'
import { UsageError } from '../usage-error.ts'

export const newCommand: Command = {
  name: 'new',
  usage: ['new format NAME [options]'],
  about:
    'Writes a first version of a format: a grammar, a writer and a prompt that work, for you to change. In a checkout of callspec ' +
    'this is a folder among the built-in formats, an entry in their two lists and one in package.json; anywhere else a module ' +
    'NAME.mjs, which every command accepts as --format ./NAME.mjs, and cases for it.',
  subcommands: { format: 'how replies are read and written, and conversations shown' },
  maxPositionals: 1,
  options: { module: { help: 'Write a module in a checkout, too.' } },
  examples: ['callspec new format acme', 'callspec new format acme --module'],
  notes: ['Exit codes: 0 written; 2 misuse, or the name exists already.'],
  run: writeNewFormat,
}

/** The formats of a checkout, from its root. */
const FORMATS_FOLDER = 'packages/core/src/formats'

/** The entries of the package that has them. */
const MANIFEST = 'packages/core/package.json'

async function writeNewFormat({ subcommand, positionals, options, output }: Invocation): Promise<ExitCode> {
  const [name] = positionals
  if (subcommand === null) throw new UsageError('What is to be new? Give: callspec new format NAME.')
  if (name === undefined) throw new UsageError('callspec new format needs a NAME, such as acme or acme-2.')
  checkName(name)
  const isCheckout = !options.flag('module') && (await isThere(join(FORMATS_FOLDER, 'index.ts')))
  const written = isCheckout ? await writeFolder(name) : await writeModule(name)
  for (const path of written) output.line(`wrote  ${inert(path)}`)
  output.line('next')
  for (const line of isCheckout ? nextInCheckout(name) : nextAnywhere(name)) output.line(`  ${line}`)
  return EXIT.ok
}

function checkName(name: string): void {
  if (!/^[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*$/.test(name))
    throw new UsageError(
      `"${name}" is no name of a format. Give lower-case letters, digits, - and ., such as acme-2.5.`,
    )
  if (FORMAT_IDS.includes(name)) throw new UsageError(`There is a format ${name} already. Give another name.`)
}

async function writeModule(name: string): Promise<readonly string[]> {
  const files = [
    { path: `${name}.mjs`, text: formatModule(name) },
    { path: `${name}.cases.jsonl`, text: formatCases(name) },
  ]
  return writeAll(files)
}

async function writeFolder(name: string): Promise<readonly string[]> {
  const list = join(FORMATS_FOLDER, 'index.ts')
  const changed = withEntry(await readFile(list, 'utf8'), name)
  if (changed === null) throw new UsageError(`${list}: this is not the list of formats as callspec knows it.`)
  const table = join(FORMATS_FOLDER, 'load-format.ts')
  const loaders = withLoader(await readFile(table, 'utf8'), name)
  if (loaders === null) throw new UsageError(`${table}: this is not the table of formats as callspec knows it.`)
  const manifest = withExport(await readFile(MANIFEST, 'utf8'), name)
  if (manifest === null) throw new UsageError(`${MANIFEST}: its exports are not those that callspec knows.`)
  const written = await writeAll(
    formatFolder(name).map(({ path, text }) => ({ path: join(FORMATS_FOLDER, path), text })),
  )
  await writeFileAtomically(list, changed)
  await writeFileAtomically(table, loaders)
  await writeFileAtomically(MANIFEST, manifest)
  return [...written, list, table, MANIFEST]
}

interface NewFile {
  readonly path: string
  readonly text: string
}

/** @throws UsageError before anything is written, if one of the files exists */
async function writeAll(files: readonly NewFile[]): Promise<readonly string[]> {
  for (const { path } of files)
    if (await isThere(path)) throw new UsageError(`${path} is there already. Remove it, or give another name.`)
  for (const { path, text } of files) await writeNew(path, text)
  return files.map(({ path }) => path)
}

function nextAnywhere(name: string): readonly string[] {
  return [
    `callspec conformance run --format ./${name}.mjs --cases ${name}.cases.jsonl`,
    `callspec fuzz --format ./${name}.mjs`,
    `callspec eval --format ./${name}.mjs`,
  ]
}

function nextInCheckout(name: string): readonly string[] {
  return [
    'npx --yes pnpm@12.21.0 build',
    'UPDATE_PAGES=1 npx vitest run packages/core/test/format-pages.test.ts packages/cli/test/docs.test.ts',
    `callspec fuzz --format ${name}`,
    `fixtures/${name} and golden/${name}: the cases (docs/adding-a-case.md)`,
  ]
}
