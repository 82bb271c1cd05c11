import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

// Mistakes that users make, in all commands: each is one line on stderr that says what, where, and what to do, nothing on stdout, and the
// exit code of docs/exit-codes.md: 2, or 3 where a program of the user is broken.

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'reply.txt': '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>',
  'prose.txt': 'Hello, how are you?',
  'empty.txt': '\n',
  'latin.txt': Uint8Array.of(0x41, 0x0a, 0xe9, 0x20),
  'bad.json': '{"name": "clock",\n "parameters": {,}}',
  'tool.json': '{"name": "clock"}',
  'request.json5': '{messages: [{role: "user", content: "hi"}]}',
  'cut.json5': '{messages: [\n  {role: "user", content: "hi"},',
  'empty.json5': '{tools: []}',
  'outputs.jsonl': '{"model": "m", "output": "<tool_call>"}\n',
  'config.json5': '{\n  modles: ["sim/perfect"]\n}',
  'suite.json5': '{tasks: [{id: "a"}]}',
  'tape.jsonl': '{"x": 1}\n',
  'chat.jinja': '{% for m in messages %}{{ m.content }',
  'model.gguf': 'hello',
  'x.mjs': 'export const x = 1\n',
  'throws.mjs': 'throw new Error("boom")\n',
  'dies.mjs': 'process.exit(3)\n',
  'talks.mjs': 'console.log("hello world")\nprocess.stdin.resume()\n',
  'folder/note.md': '',
}

const MISTAKES: readonly (readonly [line: string, message: string, code?: number])[] = [
  ['prase reply.txt', 'unknown command "prase". Did you mean parse? callspec --help lists all.'],
  ['--verson', 'unknown option "--verson". Did you mean --version? callspec --help lists all.'],
  ['parse nothing.txt', 'nothing.txt: no such file. Give a file, or - for standard input.'],
  ['parse folder', 'folder: this is a folder. Give a file, or - for standard input.'],
  ['parse empty.txt', 'empty.txt: there is no text. Give a reply of a model.'],
  ['parse latin.txt', 'latin.txt:2: not UTF-8. Save the file as UTF-8.'],
  [
    'parse prose.txt',
    'Which format? No call of any is in the text. Give --format NAME (callspec formats lists them), or a file such as ./my-format.mjs.',
  ],
  [
    'parse reply.txt --format nuos',
    'Unknown format "nuos". Did you mean nous? callspec formats lists all; a file such as ./my-format.mjs is one, too.',
  ],
  [
    'parse reply.txt --format react --profile v9',
    'Unknown profile "v9". Known profiles: main, v0.0.26, v0.0.16, v0.0.13, v0.0.7, strict.',
  ],
  ['parse reply.txt --formt nous', 'unknown option --formt. Did you mean --format?'],
  ['parse reply.txt more.txt', 'unexpected argument "more.txt". See callspec parse --help'],
  ['parse reply.txt --as xml', '--as "xml" is unknown. Known: json, lines.'],
  ['parse reply.txt --json --as lines', '--json and --as lines contradict each other. Give one.'],
  ['parse reply.txt --tools bad.json', 'bad.json:2:18: Unexpected "}". This is not JSON5.'],
  [
    'parse reply.txt --tools tool.json',
    'tool.json:1: there is no list of tools. Give [{name, parameters}], or {tools: [...]}.',
  ],
  ['parse reply.txt -f ./x.mjs', './x.mjs: no export named "format". It exports: x. Export a Format as "format".'],
  ['parse reply.txt -f ./throws.mjs', './throws.mjs: cannot be imported: boom'],
  ['parse reply.txt -f ./gone.mjs', './gone.mjs: no such file. Give the path of a JavaScript module.'],
  ['parse reply.txt -f nous -o no/out.json', 'no/out.json: cannot be written (the folder does not exist)'],
  ['render cut.json5 --format nous', 'cut.json5:2:33: Unexpected end of input. This is not JSON5.'],
  [
    'render empty.json5 --format nous',
    `empty.json5: there is no "messages". Give a list of messages: [{role: 'user', content: '…'}].`,
  ],
  [
    'render request.json5',
    'Which format? Give --format NAME (callspec formats lists them), or a file such as ./my-format.mjs; or "format" in the file.',
  ],
  [
    'formats folder',
    "folder: not a model's folder: it has none of chat_template.jinja, tokenizer_config.json, chat_template.json, config.json, tekken.json.",
  ],
  [
    'reply prose.txt',
    'prose.txt: it is neither a JSON map nor a stream of events. Give a reply as the server sent it.',
  ],
  ['conformance rnu', 'unknown subcommand "rnu" of callspec conformance. Did you mean run? Known: run, list, show, smoke, record, triage, gaps, lint, version, mutants, matrix.'], // prettier-ignore
  ['conformance run --format nuos', 'no case was selected: none has the format nuos. Did you mean nous?'],
  ['conformance run --id nous/parse/none', 'no case was selected: none has the id nous/parse/none.'],
  ['conformance run --cases nothing', 'nothing: there is no such file or folder.'],
  [
    "conformance run --format nous --impl 'node dies.mjs'",
    'node dies.mjs: exited with code 3 before it answered "start"',
    3,
  ],
  [
    "conformance run --format nous --impl 'node talks.mjs'",
    'node talks.mjs: wrote to stdout what is no message: "hello world". Only answers belong there.',
    3,
  ],
  ['fuzz', 'Which format? Give --format NAME (callspec formats lists them), or a file such as ./my-format.mjs.'],
  ['fuzz --format nous --runs many', '--runs must be a whole number from 1 to 1000000000, got "many"'],
  ['compat vlm', 'Unknown engine "vlm". Did you mean vllm? Known engines: ai-sdk, cohere-melody, dynamo, langchain, llama.cpp, llamaindex, mistral-common, ollama, openai-harmony, sglang, smg, transformers, vllm.'], // prettier-ignore
  [
    'grammar check --shipped nothing',
    '--shipped "nothing" is unknown. Give xgrammar, vllm, sglang, llama.cpp, all, or a name in the table that these print.',
  ],
  ['eval -m qwen3', '--model qwen3 needs a server: give --base-url URL or set OPENAI_BASE_URL'],
  [
    'eval -m qwen3 --base-url 127.0.0.1:8000',
    '"127.0.0.1:8000" is not an http address. Give one such as http://127.0.0.1:8000/v1',
  ],
  ['eval -m qwen3 --base-url DEAD', 'DEAD refused the connection. Is the server running?'],
  ['eval -m sim/perfect --limit 0', '--limit must be a whole number of at least 1, got "0"'],
  [
    'eval -m sim/perfect --format nuos',
    '--format "nuos" is unknown. Did you mean nous? Known: qwen, nous, react, native, role-react and N more; callspec formats lists them; or a file such as ./my-format.mjs.',
  ],
  ['eval config.json5', 'config.json5:2: unknown key "modles". Did you mean models?'],
  ['eval -m sim/perfect --suite suite.json5', 'suite.json5:1: tasks[0]: has no "query".'],
  ['eval --resume folder', 'folder is no run folder: it holds no run.json. Run folders are in reports/.'],
  ['replay tape.jsonl', 'tape.jsonl is not a tape (missing header line)'],
  [
    'doctor --base-url ftp://127.0.0.1',
    '"ftp://127.0.0.1" is not an http address. Give one such as http://127.0.0.1:8000/v1',
  ],
  [
    'doctor --base-url DEAD --timeout never',
    '--timeout must be a time from 1ms to 10m such as 90s or 500ms, got "never"',
  ],
  [
    'doctor --schemas --base-url DEAD --tools bad.json',
    'bad.json:2:17: is not JSON. Give a list of tools, or an object with "tools".',
  ],
  ['proxy', 'which server? Give --to URL, such as --to http://127.0.0.1:8000/v1'],
  [
    'proxy check folder',
    'folder: contains no exchange and no stream. Name what callspec proxy --record wrote (*.traffic), a log of lines data: {…} (*.sse), or spans of OpenTelemetry (*.json, *.jsonl).',
  ],
  [
    'score outputs.jsonl',
    'outputs.jsonl: --format NAME is missing for texts, one per row. callspec identify finds the format.',
  ],
  [
    'compare one two',
    'one: there is no such run folder. Give a folder such as reports/2026-01-31T12-00-00-1a2b3c4d, or latest.',
  ],
  ['tasks show nothing', 'the suite has no task "nothing". callspec tasks list prints them.'],
  ['template lint chat.jinja', "chat.jinja:1:37: TemplateSyntaxError: unexpected '}'"],
  [
    'template lint folder',
    'folder: no chat_template.jinja, and no chat_template in chat_template.json or tokenizer_config.json.',
  ],
  ['template lint model.gguf', 'model.gguf: is not a GGUF: it begins with the bytes 68 65 6c 6c, not with "GGUF".'],
  ['new format nous', 'There is a format nous already. Give another name.'],
  ['worker', 'which queue? Give --queue redis://HOST/0, or set CALLSPEC_QUEUE.'],
  [
    'queue status --queue http://x',
    '"http://x" is not an address of a Redis. Give one such as redis://127.0.0.1/0, or rediss:// with TLS',
  ],
]

/** An address on which nothing listens. */
async function deadServer(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/v1`
}

it('has at least 40 mistakes', () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(40)
})

it.each(MISTAKES.map(([line, message, code = 2]) => ({ line, message, code })))('callspec $line', async (mistake) => {
  const { line, message } = mistake
  const dead = await deadServer()
  const words = Array.from(line.matchAll(/'([^']*)'|\S+/g), ([word, quoted]) => quoted ?? word.replace('DEAD', dead))

  const { code, stdout, stderr } = await inProcess(words, { cwd: folderWith(FILES) })

  expect({ code, stdout, stderr: stderr.replace(/and \d+ more/, 'and N more') }).toEqual({
    code: mistake.code,
    stdout: '',
    stderr: `callspec: ${message.replace('DEAD', dead)}\n`,
  })
  expect(stderr.length).toBeLessThan(260)
})
