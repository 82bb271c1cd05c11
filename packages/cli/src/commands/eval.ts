import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

export const command: Command = {
  name: 'eval',
  usage: ['eval [options]'],
  about: 'Is being written.',
  maxPositionals: Infinity,
  options: {},
  examples: ['callspec eval'],
  run() {
    throw new UsageError('callspec eval is not written yet')
  },
}
