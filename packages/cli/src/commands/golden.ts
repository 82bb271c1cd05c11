import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

export const command: Command = {
  name: 'golden',
  usage: ['golden [options]'],
  about: 'Is being written.',
  maxPositionals: Infinity,
  options: {},
  examples: ['callspec golden'],
  run() {
    throw new UsageError('callspec golden is not written yet')
  },
}
