// Writes src/page-script.ts and src/compat/script.ts from page/*.ts: scripts as texts, one with its hash for the policy of the pages.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const HERE = dirname(fileURLToPath(import.meta.url))
const MADE = '// Made by scripts/bundle-page.js from page/*.ts; a test compares. Do not edit.'

/** The text of src/page-script.ts as it should be. */
export async function pageScriptSource() {
  const code = await bundled('main.ts')
  const hash = createHash('sha256').update(code).digest('base64')
  return `${MADE}

/** The script of the pages. */
export const PAGE_SCRIPT: string = ${JSON.stringify(code)}

/** Its hash, as a policy names it. */
export const PAGE_SCRIPT_HASH: string = 'sha256-${hash}'
`
}

/** The text of src/compat/script.ts as it should be. */
export async function compatScriptSource() {
  return `${MADE}

/** The script of the compatibility site, a file of its own there. */
export const COMPAT_SCRIPT: string = ${JSON.stringify(await bundled('compat.ts'))}
`
}

async function bundled(name) {
  const bundle = await rolldown({
    input: join(HERE, '../page', name),
    platform: 'browser',
    resolve: { conditionNames: ['@callspec/source', 'import', 'default'] },
  })
  const { output } = await bundle.generate({ format: 'iife', minify: true })
  await bundle.close()
  const code = output[0].code.trim()
  if (/<\/script|<!--/i.test(code)) throw new Error('the script of a page must not hold "</script" or "<!--"')
  return code
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(join(HERE, '../src/page-script.ts'), await pageScriptSource())
  writeFileSync(join(HERE, '../src/compat/script.ts'), await compatScriptSource())
}
