import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

export const command: Command = {
  name: 'parse',
  usage: ['parse [options]'],
  about: 'Is being written.',
  maxPositionals: Infinity,
  options: {},
  examples: ['callspec parse'],
  run() {
    throw new UsageError('callspec parse is not written yet')
  },
}
