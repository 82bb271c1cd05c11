import type { Command } from '../command.ts'
import { TOOL_LIST_OPTIONS } from '../tool-list.ts'

export const inspectCommand: Command = {
  name: 'inspect',
  usage: [
    'inspect MODEL [--against OTHER] [--variables FILE] [--tools FILE] [--json]',
    'inspect owner/name|URL -o DIR',
  ],
  about:
    'Says on one screen what the files of a model mean for its tool calls: its format and version, the prompt of a sample ' +
    'conversation, what is wrong with its chat template, which texts can forge turns, whether its response template reads its own ' +
    'replies, the flags of engines, what is known to break there, and how another copy differs. MODEL is a folder, one of its files ' +
    '(chat_template.jinja, tokenizer_config.json, config.json, tekken.json, a .gguf), the address of a model or of one such file, or ' +
    'owner/name, which is fetched from https://huggingface.co unless a file of that name is here.',
  maxPositionals: 1,
  options: {
    against: {
      value: 'OTHER',
      help: 'Compare with another copy or revision, in every form that MODEL has: a folder, owner/name@REVISION. previous is the newest commit of a fetched model with other templates.',
    },
    variables: {
      value: 'FILE',
      help: 'JSON: your conversation instead of the sample: an object with messages, tools and other variables of the template, or a list of messages. - is standard input.',
    },
    tools: TOOL_LIST_OPTIONS.tools,
    name: { value: 'NAME', help: 'Which of several named templates, such as rag. Default: tool_use, else default.' },
    output: {
      short: 'o',
      value: 'DIR',
      help: 'Write the fetched files into this folder, for the commands that read files.',
    },
    header: {
      value: 'HEADER',
      help: "Send this with every request to the address: 'authorization: Bearer ${HF_TOKEN}', where ${NAME} is a variable.",
      repeat: true,
    },
    timeout: { value: 'TIME', help: 'Time limit for one request: 5s, or seconds. Default: 20s.' },
    json: { help: 'Print everything as JSON.' },
  },
  examples: [
    'callspec inspect ./Qwen3-Coder-30B-A3B-Instruct',
    'callspec inspect chat_template.jinja --against old.jinja',
    'callspec inspect Qwen/Qwen3-8B -o Qwen3-8B',
    'callspec inspect https://huggingface.co/owner/name/resolve/main/model.gguf',
  ],
  notes: [
    'Only owner/name and addresses are fetched: five small files at most, of a GGUF the head (1 MB at first, 64 MB at most). No key is sent but what ' +
      '--header says, and that only to the host of the address. HF_ENDPOINT is another site for owner/name.',
    'Of a format the version is named whose prompts equal those of the chat template in most conversations. Engines are asked nothing: callspec compat has the recorded data.',
    'Exit codes: 0 inspected, whatever is found; 2 misuse, or a file that is missing, broken or too large.',
  ],
  run: async (invocation) => (await import('../inspect/run-inspect.ts')).runInspect(invocation),
}
