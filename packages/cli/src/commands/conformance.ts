import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

export const command: Command = {
  name: 'conformance',
  usage: ['conformance [options]'],
  about: 'Is being written.',
  maxPositionals: Infinity,
  options: {},
  examples: ['callspec conformance'],
  run() {
    throw new UsageError('callspec conformance is not written yet')
  },
}
