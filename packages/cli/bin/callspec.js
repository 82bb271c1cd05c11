#!/usr/bin/env node
// From Node 22.1 on, compiled modules are kept between runs. Before, the module is not worth loading.
if (Number.parseInt(process.versions.node, 10) >= 22) (await import('node:module')).enableCompileCache?.()
const { main } = await import('../dist/main.js').catch(notBuilt)
let isDone = false
// A module of the user may wait for what never comes, or call process.exit: not in silence.
process.on('exit', (code) => {
  if (isDone || code !== 0) return
  process.stderr.write('callspec: ended before the work was done. Does a module wait for ever, or call process.exit?\n')
  process.exitCode = 3
})
// Not awaited here: of what waits for ever Node would say a line of its own.
main(process.argv.slice(2)).then((code) => {
  process.exitCode = code
  isDone = true
})

function notBuilt(error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !/dist.main\.js/.test(error.message)) throw error
  process.stderr.write('callspec: not built yet. Run `npx --yes pnpm@12.21.0 build` in the repository first.\n')
  process.exit(3)
}
