import { quickSuite } from '@callspec/eval/doctor'
import { PRESETS, loadReferences, readReferences, startSimServer } from '@callspec/sim'
import type { Command, Invocation, ExitCode } from '../command.ts'
import { EXIT } from '../command.ts'
import { readSuiteFile } from '../eval/suite-file.ts'
import { interrupted } from '../environment.ts'
import { unusablePort } from '../usage-error.ts'

export const simCommand: Command = {
  name: 'sim',
  usage: ['sim serve [--port N] [--suite FILE] [--repeat N] [--seed N] [--json]'],
  about:
    'Serves the simulated models on 127.0.0.1 as an OpenAI API, for tests of other programs. The intended content of every ' +
    'reply is at /__sim/ledger; POST /__sim/reset empties it.',
  subcommands: { serve: 'Serve until Ctrl-C.' },
  options: {
    port: { value: 'N', help: 'Port to listen on. Default: any free one, which is printed.' },
    suite: { value: 'FILE', help: 'Tasks that the models solve by their reference plans. Default: the built-in ones.' },
    repeat: {
      value: 'N',
      help: 'Passes over the tasks that the client will make: quotas (mode=quota) are then exact over all of them.',
    },
    seed: { value: 'N', help: 'Seed of the first pass. Default: 0.' },
    'real-latency': { help: 'Delay replies by the time in their header, such as transport=latency(50,0).' },
    json: { help: 'Print the address and the models as one line of JSON.' },
  },
  examples: ['callspec sim serve --port 8089', 'callspec sim serve --json'],
  notes: [
    `Models: ${[...PRESETS.keys()].join(', ')}; and names with faults, such as sim/oracle?fault=F03:0.1. The README of @callspec/sim lists what a name can contain.`,
    'Exit codes: 0 after Ctrl-C; 2 the port is taken.',
  ],
  run: runSim,
}

async function runSim({ options, output }: Invocation): Promise<ExitCode> {
  const port = options.integer('port', { min: 0, max: 65_535 }) ?? 0
  const { references } = await readSuiteFile(options.text('suite'))
  const repeat = options.integer('repeat', { min: 1, max: 1000 })
  const seed = options.integer('seed', { min: 0, max: 2 ** 30 }) ?? 0
  const server = await startSimServer({
    port,
    realLatency: options.flag('real-latency'),
    // The questions of doctor --quick, too.
    references: [...(references ?? loadReferences()), ...readReferences(quickSuite())],
    ...(repeat === null ? {} : { passes: { seed, repeat } }),
  }).catch((error: unknown) => {
    throw unusablePort(port, error)
  })
  const models = [...PRESETS.keys()]
  if (options.flag('json')) output.line(JSON.stringify({ baseUrl: server.baseUrl, models, pid: process.pid }))
  else {
    output.line(server.baseUrl)
    output.note(`callspec: serving ${models.join(', ')}. Ctrl-C ends it.`)
  }
  await interrupted()
  await server.close()
  return EXIT.ok
}
