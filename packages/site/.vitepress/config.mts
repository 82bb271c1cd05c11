import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { siteConfig } from '../src/site-config.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** The one file that says where the project lives; empty until its owner fills it. */
const { repository } = JSON.parse(readFileSync(new URL('../../release/owner.json', import.meta.url), 'utf8')) as {
  readonly repository: string
}

export default siteConfig(ROOT.replace(/\/$/, ''), repository)
