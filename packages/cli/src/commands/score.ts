import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

export const command: Command = {
  name: 'score',
  usage: ['score [options]'],
  about: 'Is being written.',
  maxPositionals: Infinity,
  options: {},
  examples: ['callspec score'],
  run() {
    throw new UsageError('callspec score is not written yet')
  },
}
