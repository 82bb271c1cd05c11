import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

export const command: Command = {
  name: 'render',
  usage: ['render [options]'],
  about: 'Is being written.',
  maxPositionals: Infinity,
  options: {},
  examples: ['callspec render'],
  run() {
    throw new UsageError('callspec render is not written yet')
  },
}
