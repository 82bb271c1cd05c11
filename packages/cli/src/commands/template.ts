import type { Command, Invocation } from '../command.ts'
import type { ExitCode } from '../exit-codes.ts'
import { RENDER_OPTIONS } from '../template/render/render-options.ts'
import { SOURCE_OPTIONS } from '../template/source/template-source.ts'

export const command: Command = {
  name: 'template',
  usage: [
    'template render SOURCE [--variables FILE|-] [options]',
    'template render [SOURCE] --batch FILE.jsonl [options]',
  ],
  about:
    'Shows what a chat template makes of conversations: the prompt that the model really gets, as transformers renders it. ' +
    'SOURCE is a .jinja file, a tokenizer_config.json or the folder with it, a chat_template.json, a .gguf, or the ' +
    'address of a server.',
  subcommands: {
    render: 'Print the prompt, byte for byte; or one JSON line per line of --batch.',
  },
  maxPositionals: 2,
  options: { ...RENDER_OPTIONS, ...SOURCE_OPTIONS },
  examples: [
    'callspec template render chat_template.jinja --variables request.json',
    'callspec template render model.gguf --variables - --set enable_thinking=false',
    'callspec template render --batch requests.jsonl --now 2026-01-15T12:00:00Z',
  ],
  notes: [
    'Variables are JSON and stay what they are: 1.0, 1e5 and integers beyond 2^53 come out as Python writes them. What ' +
      'is not given is as in transformers: tools and documents are null, add_generation_prompt is true, and bos_token ' +
      'and its like are those of the tokenizer, where SOURCE names them.',
    'Exit codes: 0 rendered, or every line of --batch answered; 1 the template raises; 2 misuse or bad input.',
  ],
  run,
}

/** Each subcommand is loaded only when it is asked for. */
async function run(invocation: Invocation): Promise<ExitCode> {
  const { runRender } = await import('../template/render/run-render.ts')
  return runRender(invocation)
}
