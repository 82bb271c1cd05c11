import { join } from 'node:path'
import { askAdvisories } from './advisories.ts'
import { faultsOf } from './check-published.ts'
import { missingOf, readOwner, ROOT } from './manifest.ts'
import { publicPackages, PUBLISHED } from './stage-package.ts'

// `node check.js [--release]`: says what is wrong with what was put together and which advisories concern its dependencies, and
// ends with 1 when something is. Where no registry answers, it says so. A release also needs to know where the project lives.

const faults: string[] = []
for (const folder of publicPackages(ROOT)) faults.push(...(await faultsOf(join(folder, PUBLISHED))))
const audit = askAdvisories(ROOT)
if (audit.kind === 'not-asked') console.error(`No advisories were asked for: ${audit.reason}`)
else faults.push(...audit.advisories)
for (const fault of faults) console.error(fault)

const missing = missingOf(readOwner())
if (missing.length > 0) {
  const members = missing.map((member) => `"${member}"`).join(', ')
  console.error(
    `packages/release/owner.json: ${members} are empty. The owner of the project fills them before a release.`,
  )
}
const isRelease = process.argv.includes('--release')
if (faults.length > 0 || (isRelease && missing.length > 0)) process.exitCode = 1
