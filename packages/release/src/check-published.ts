import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackage, Package } from '@arethetypeswrong/core'
import { filterProblems, problemKindInfo } from '@arethetypeswrong/core/problems'
import type { Manifest } from './manifest.ts'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/** How programs may resolve the packages; they are ES modules, so that neither CommonJS nor Node 10 is among them. */
const RESOLUTIONS = ['node16-esm', 'bundler'] as const

/** What is wrong with what was put together of a package, a line each: its manifest, its files, how its types resolve. */
export async function faultsOf(published: string): Promise<readonly string[]> {
  const manifest = JSON.parse(readFileSync(join(published, 'package.json'), 'utf8')) as Manifest
  const { messages } = await publint({ pkgDir: published, strict: true, pack: false })
  const linted = messages.map((message) => formatMessage(message, manifest, { color: false }) ?? message.code)
  return [...linted, ...(await typeFaults(published, manifest))].map((fault) => `${manifest.name}: ${fault}`)
}

async function typeFaults(published: string, { name, version }: Manifest): Promise<readonly string[]> {
  const files = filesIn(published).map(
    (path) => [`/node_modules/${name}/${path}`, read(join(published, path))] as const,
  )
  const analysis = await checkPackage(new Package(Object.fromEntries(files), name, version))
  if (analysis.types === false) return ['has no types']
  const problems = RESOLUTIONS.flatMap((resolutionKind) => filterProblems(analysis, { resolutionKind }))
  return [...new Set(problems)].map(({ kind }) => problemKindInfo[kind].shortDescription)
}

function filesIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => statSync(join(folder, name)).isFile()).map((name) => name.replaceAll('\\', '/'))
}

/** Only manifests, modules and types are looked into. */
function read(path: string): string {
  return /\.(?:json|js|ts)$/.test(path) ? readFileSync(path, 'utf8') : ''
}
