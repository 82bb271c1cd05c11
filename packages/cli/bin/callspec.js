#!/usr/bin/env node
import module from 'node:module'
// From Node 22.1 on, compiled modules are kept between runs.
module.enableCompileCache?.()
const { main } = await import('../dist/main.js').catch(notBuilt)
process.exitCode = await main(process.argv.slice(2))

function notBuilt(error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !/dist.main\.js/.test(error.message)) throw error
  process.stderr.write('callspec: not built yet. Run `npx --yes pnpm@12.21.0 build` in the repository first.\n')
  process.exit(3)
}
