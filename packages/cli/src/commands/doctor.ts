import type { Command } from '../command.ts'
import { DOCTOR_OPTIONS, runDoctor } from '../eval/doctor.ts'

export const command: Command = {
  name: 'doctor',
  usage: ['doctor [--base-url URL] [--model NAME] [options]'],
  about:
    'Examines an endpoint with 14 to 18 short requests, whole and streamed: is it there, are stop words honoured, are tokens ' +
    'counted, does a stream say the same as a whole reply, do seeds matter, does the server read the calls of its model and ' +
    'hand on all of them: arguments, ids, and what stands before a call, and what does its chat template show the model? ' +
    'Says what to change.',
  options: DOCTOR_OPTIONS,
  examples: [
    'callspec doctor --base-url http://127.0.0.1:8000/v1',
    'callspec doctor --model gpt-4o-mini --json',
    'callspec doctor --model sim/perfect && callspec eval --model sim/perfect -n 5',
  ],
  notes: [
    'Without --model the first one that the server lists is asked. OPENAI_API_KEY holds the key, OPENAI_BASE_URL the address.',
    'Where a model makes no call by itself, it is asked again with tool_choice: "required" and with the name of the tool. ' +
      'What it says before a call is compared with what it goes on with behind the same prompt, sent to /completions as a text.',
    'The chat template of a llama-server is linted (callspec template lint), by its text or by the prompts that it makes. ' +
      'Elsewhere some nine requests of one token tell by usage.prompt_tokens whether tools, calls and results are counted.',
    'Exit codes: 0 no check failed, so that `callspec doctor && callspec eval` goes on; 1 one did; 2 misuse. What is odd ' +
      '(warn) or not known (unknown) fails nothing.',
  ],
  run: runDoctor,
}
