import type { Command } from '../command.ts'
import { REPLAY_OPTIONS, runReplay } from '../eval/replay.ts'

export const command: Command = {
  name: 'replay',
  usage: ['replay TAPE [--model NAME ...] [--protocol NAME ...] [options]'],
  about:
    'Plays a run with the replies and tool results of a tape, and asks nobody: what is missing on the tape is an error. Give the ' +
    'options with which the tape was recorded by callspec eval --record.',
  maxPositionals: 1,
  options: REPLAY_OPTIONS,
  examples: [
    'callspec replay golden/tape.jsonl -m qwen3-8b -p react',
    'callspec replay tape.jsonl -c callspec.config.ts --min task_success=0.8',
  ],
  notes: ['Exit codes are those of callspec eval; 2 where the tape does not hold what is asked.'],
  run: runReplay,
}
