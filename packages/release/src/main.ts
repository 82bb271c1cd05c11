import { ROOT } from './manifest.ts'
import { manifestIn, publicPackages, stagePackage } from './stage-package.ts'

// `node main.js [NAME …]`: puts together what is published of the packages named, or of all of them.

const names = process.argv.slice(2)
const packages = publicPackages(ROOT).filter((folder) => names.length === 0 || names.includes(manifestIn(folder).name))
if (names.length > packages.length) throw new Error(`no such package among ${names.join(', ')}`)
for (const folder of packages) await stagePackage(folder, ROOT)
