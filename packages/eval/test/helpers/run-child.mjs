// A process of its own that plays a plan: node run-child.mjs '{"config": …, "resume": folder or null}'. It prints the folder.
import { runEval } from '../../dist/index.js'

const { config, resume } = JSON.parse(process.argv[2] ?? '{}')
const drain = new AbortController()
process.once('SIGINT', () => drain.abort(new Error('stopped by Ctrl-C')))

try {
  await runEval(config, {
    drain: drain.signal,
    ...(resume === null ? {} : { resume: { folder: resume } }),
    onEvent: (event) => {
      if (event.type === 'folder') process.stdout.write(`${event.folder}\n`)
    },
  })
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = drain.signal.aborted ? 130 : 1
}
