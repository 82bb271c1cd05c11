import type { Command } from '../command.ts'
import { DOCTOR_OPTIONS, runDoctor } from '../eval/doctor.ts'

export const command: Command = {
  name: 'doctor',
  usage: ['doctor [--base-url URL] [--model NAME] [options]'],
  about:
    'Examines an endpoint with ten short requests, in less than a minute: is it there, are stop words honoured, are tokens ' +
    'counted, does a stream say the same as a whole reply, is the seed honoured, does the server itself take tool calls out ' +
    'of the text. Says what to change.',
  options: DOCTOR_OPTIONS,
  examples: [
    'callspec doctor --base-url http://127.0.0.1:8000/v1',
    'callspec doctor --model gpt-4o-mini --json',
    'callspec doctor --model sim/faulty',
  ],
  notes: [
    'Without --model the first one that the server lists is asked. OPENAI_API_KEY holds the key, OPENAI_BASE_URL the address.',
    'Exit codes: 0 an evaluation can be run; 1 it cannot; 2 misuse.',
  ],
  run: runDoctor,
}
