import { chmodSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'
import { CLOSED_PORT } from './helpers/servers.ts'

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
  'loop.jinja': '{% for m in messages %}{{ m.content }}{% endfor %}',
  'chat.jinja': '{% for m in messages %}{{ m.content }',
  'model.gguf': 'hello',
  'x.mjs': 'export const x = 1\n',
  'throws.mjs': 'throw new Error("boom")\n',
  'dies.mjs': 'process.exit(3)\n',
  'talks.mjs': 'console.log("hello world")\nprocess.stdin.resume()\n',
  'folder/note.md': '',
  'packed.json.gz': Uint8Array.of(0x1f, 0x8b, 8, 0, 0x80),
  'utf16.json': Uint8Array.of(0xff, 0xfe, 0x7b, 0),
  'binary.yaml': Uint8Array.of(0, 1, 2, 0x80, 0xff),
  'cut.txt': Uint8Array.of(0x63, 0xe5, 0xa4),
  'deep.json': '['.repeat(2000),
  'numbers.json': '[1, 2, 3]',
  'null.json': 'null',
  'role.json': '{"messages": [{"role": "usr", "content": "hi"}]}',
  'void.csv': '',
  'void.yaml': ' \n',
  'headless.csv': 'hello,x\nworld,y\n',
  'quote.csv': 'query,tools\n"hello,x\n',
  'twins.json': '[{"name": "w"}, {"name": "w"}]',
  'number.json': '[{"name": 5}]',
  'five.json': '{"cases": 5}',
  'known.txt': 'a/b/c\n',
  'void.jinja': '\n',
  'void.json': '',
  'page.html': '<!DOCTYPE html>\n<html><body>Sign in</body></html>',
  'cut.json': '{"messages": [',
  'tab.yaml': 'tasks:\n\t- id: a\n',
  'void.sse': '',
  'throws.json5': '{models: ["sim/perfect" }',
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
    "folder: not a model's folder: it has none of chat_template.jinja, tokenizer_config.json, chat_template.json, config.json, tekken.json, and no GGUF.",
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
  ['parse packed.json.gz', 'packed.json.gz: packed with gzip. Unpack it first, with gunzip.'],
  ['render utf16.json -f nous', 'utf16.json: this is UTF-16. Save the file as UTF-8.'],
  ['tasks check binary.yaml', 'binary.yaml: this is a binary file, no text. Give a file of UTF-8.'],
  ['grammar accept binary.yaml reply.txt', 'binary.yaml: this is a binary file, no text. Give a file of UTF-8.'],
  ['parse cut.txt', 'cut.txt:1: not UTF-8. Save the file as UTF-8.'],
  ['parse https://a.b/c', 'https://a.b/c: an address, where a file is read. Fetch it, and give the file.'],
  [
    'inspect htps://a.b/c',
    'htps://a.b/c: "htps://" is no scheme that is fetched. Give http:// or https://, or a file.',
  ],
  [
    'template lint htp://a.b/c',
    'htp://a.b/c: "htp://" is no scheme that is fetched. Give http:// or https://, or a file.',
  ],
  ['parse reply.txt -f nous -o folder', 'folder: is a folder. Name a file.'],
  ['parse reply.txt -f nous -o reply.txt/x', 'reply.txt/x: cannot be written (ENOTDIR)'],
  ['parse reply.txt -f', '-f needs a value (NAME)'],
  ['parse reply.txt -f nous -f react', '--format was given twice, with "nous" and "react". Give it once.'],
  ['PARSE reply.txt', 'unknown command "PARSE". Did you mean parse? callspec --help lists all.'],
  ['--format nous parse reply.txt', '"--format" comes before the command. Write it after: callspec parse … --format'],
  ['render deep.json -f nous', 'deep.json: nested too deeply. Take out some of the brackets.'],
  [
    'render numbers.json -f nous',
    "numbers.json:1: messages[0]: This is not a message. Give {role: 'user', content: '…'}.",
  ],
  ['render null.json -f nous', 'null.json: this is neither an object nor a list of messages.'],
  [
    'render role.json -f nous',
    'role.json:1: messages[0].role: "usr" is not a role. Give one of system, user, assistant, function.',
  ],
  [
    'template render loop.jinja --variables numbers.json',
    'numbers.json: neither an object of variables nor a list of messages.',
  ],
  ['template diff loop.jinja', 'callspec template diff needs two SOURCES: the old template, then the new one.'],
  ['template diff loop.jinja loop.jinja x', 'unexpected argument "x". template diff compares two SOURCES.'],
  [
    'template parse folder reply.txt --prompt reply.txt',
    'folder: has no response template. Give a folder or tokenizer_config.json with "response_template", or a file of the template alone.',
  ],
  ['tasks check void.csv', 'void.csv: the file is empty. It must hold tasks.'],
  ['tasks check void.yaml', 'void.yaml: the file is empty. It must hold tasks.'],
  ['tasks check', 'callspec tasks check needs the file of a suite.'],
  [
    'eval -m sim/perfect --suite headless.csv',
    'headless.csv:1: the first row must name the columns, such as query, tools and answer; here it has "hello", "x".',
  ],
  [
    'eval -m sim/perfect --suite quote.csv',
    'quote.csv:2: a field whose quotation mark is never closed. Close it. callspec tasks check quote.csv lists 2 faults.',
  ],
  ['eval -m sim/perfect --tools twins.json', 'twins.json: tools[1]: there are two tools "w".'],
  [
    'eval -m sim/perfect --tools number.json',
    'number.json: tools[0] has no "name". Each tool needs one, bare or in "function".',
  ],
  ["eval -m sim/perfect --tools twins.json --mcp 'node x.mjs'", '--tools and --mcp both name tools. Give one of them.'],
  ['eval -m sim/perfect,sim/faulty', '--model names one model. Give it for each: -m sim/perfect -m sim/faulty'],
  [
    'eval -m sim/perfect,sim/oracle?fault=F20:0.4&seed=7',
    "--model names one model. Give it for each: -m sim/perfect -m 'sim/oracle?fault=F20:0.4&seed=7'",
  ],
  ['score https://a.b/c', 'https://a.b/c: an address, where a file is read. Fetch it, and give the file.'],
  ['eval throws.json5', "throws.json5:1:25: invalid character '}'. This is not JSON5."],
  [
    'eval -m sim/perfect --filter [',
    '--filter "[" is not a regular expression (Invalid regular expression: /[/u: Unterminated character class)',
  ],
  ['eval -m org/name', '--model org/name needs a server: give --base-url URL or set OPENAI_BASE_URL'],
  [
    'eval -m org/name --base-url http://127.0.0.1:99999/v1',
    '"http://127.0.0.1:99999/v1" is not an http address. Give one such as http://127.0.0.1:8000/v1',
  ],
  ['report folder', 'folder is no run folder: it holds no run.json. Run folders are in reports/.'],
  ['compare folder folder', 'folder is no run folder: it holds no run.json. Run folders are in reports/.'],
  ['baseline bless folder', 'folder is no run folder: it holds no run.json. Run folders are in reports/.'],
  ['doctor --quick --schemas', '--quick and --schemas are two examinations. Give one of them.'],
  ['conformance run --cases five.json', 'five.json: is not a fixture: it has no "op" and "cases".'],
  ['conformance run --cases folder', 'folder: holds no case files. A folder is searched for *.jsonl and *.json.'],
  [
    'conformance run -f nous --known known.txt',
    'known.txt:1: lists "a/b/c" without a reason. Write one above it, as a line that begins with #.',
  ],
  ['conformance run -f nous --impl cat --one-shot cat', '--impl and --one-shot name two implementations. Give one.'],
  [
    "conformance run -f nous --impl 'callspec-gone x'",
    'callspec-gone x: could not be started: sh found no such command (exit code 127) before it answered "start"; its stderr ends with: sh: 1: callspec-gone: not found',
    3,
  ],
  ['playground --port 99999', '--port must be a whole number from 0 to 65535, got "99999"'],
  ['proxy --to ftp://x', '--to: "ftp://x" is no http address. Give one such as http://127.0.0.1:8000/v1'],
  ['completion tcsh', 'unknown subcommand "tcsh" of callspec completion. Did you mean bash? Known: bash, zsh, fish.'],
  ["new format '../x'", '"../x" is no name of a format. Give lower-case letters, digits, - and ., such as acme-2.5.'],
  ['inspect void.jinja', 'void.jinja: the file is empty. Give a chat template, or another file of a model.'],
  ['inspect void.json', 'void.json: the file is empty. Give a chat template, or another file of a model.'],
  ['inspect utf16.json', 'utf16.json: this is UTF-16. Save the file as UTF-8.'],
  ['inspect page.html', 'page.html: this is a page (HTML), not a file of a model. Download the raw file.'],
  ['formats page.html', 'page.html: this is a page (HTML), not a file of a model. Download the raw file.'],
  ['inspect cut.json', 'cut.json: is not JSON: Expecting value: line 1 column 15 (char 14).'],
  ['inspect binary.yaml', 'binary.yaml: this is a binary file, no text. Give a file of UTF-8.'],
  ['inspect no/such/file', 'no/such/file: no such file or folder. Give the folder of a model, or its name.'],
  ['view folder', 'unexpected argument "folder". See callspec view --help'],
  ['view --port many', '--port must be a whole number from 0 to 65535, got "many"'],
  ['tasks check cut.json', 'cut.json:1:15: invalid end of input. This is not JSON5.'],
  ['tasks check page.html', "page.html:1:1: invalid character '<'. This is not JSON5."],
  ['tasks check folder', 'folder: this is a folder. Give a file, or - for standard input.'],
  ['eval -m sim/perfect --suite tab.yaml', 'tab.yaml:2: this is not YAML (Tabs are not allowed as indentation).'],
  [
    'score page.html -f nous',
    'page.html:1: this is no JSON. Give JSON Lines, or a JSON array, of a kind that callspec score --help lists.',
  ],
  [
    'score void.json -f nous',
    'void.json: it holds no rows. Give JSON Lines, or a JSON array, of a kind that callspec score --help lists.',
  ],
  ['score folder -f nous', 'folder: this is a folder. Give a file, or - for standard input.'],
  [
    'proxy check void.sse',
    'void.sse: contains no exchange and no stream. Name what callspec proxy --record wrote (*.traffic), a log of lines data: {…} (*.sse), or spans of OpenTelemetry (*.json, *.jsonl).',
  ],
  ['doctor --base-url DEAD --timeout 0', '--timeout must be a time from 1ms to 10m such as 90s or 500ms, got "0"'],
  ['doctor --schemas --base-url DEAD --tools utf16.json', 'utf16.json: this is UTF-16. Save the file as UTF-8.'],
  ['playground --tools cut.json', 'cut.json:1:15: is not JSON. Give a list of tools, or an object with "tools".'],
  ['playground -o folder', 'folder: is a folder. Name a file.'],
  ["playground --mcp 'exit 3'", '--mcp "exit 3": it ended with exit code 3. Does the command start an MCP server?'],
  ['worker', 'which queue? Give --queue redis://HOST/0, or set CALLSPEC_QUEUE.'],
  [
    'queue status --queue http://x',
    '"http://x" is not an address of a Redis. Give one such as redis://127.0.0.1/0, or rediss:// with TLS',
  ],
]

/** A file that was given as a folder, or a link that leads back to itself. The folder's own path is `DIR` in the message. */
it.each([
  ['fuzz -f nous --runs 5 --save reply.txt', 'DIR/reply.txt: is no folder. Name a folder to write to.'],
  ['parse circle', 'circle: this symbolic link leads back to itself. Give the file itself.'],
  ['score circle', 'circle: this symbolic link leads back to itself. Give the file itself.'],
  ['template dataset loop.jinja circle', 'circle: this symbolic link leads back to itself. Give the file itself.'],
  ['inspect circle', 'circle: this symbolic link leads back to itself. Give the file itself.'],
  ['parse /dev/zero', '/dev/zero: more than 256 MB (N bytes) in one text. Split it.'],
])('callspec %s', async (line, message) => {
  const folder = realpathSync(folderWith(FILES))
  symlinkSync('circle', join(folder, 'circle'))

  const { code, stdout, stderr } = await inProcess(line.split(' '), { cwd: folder })

  const said = stderr.replace(folder, 'DIR').replace(/\d+ bytes/, 'N bytes')
  expect({ code, stdout, said }).toEqual({ code: 2, stdout: '', said: `callspec: ${message}\n` })
})

/** A test that root passes, whom no right is denied, shows nothing. */
it.skipIf(process.getuid?.() === 0)('names a folder that may not be listed', async () => {
  const folder = folderWith({ 'model/config.json': '{}' })
  chmodSync(join(folder, 'model'), 0)
  onTestFinished(() => chmodSync(join(folder, 'model'), 0o700))

  const { code, stderr } = await inProcess(['inspect', 'model'], { cwd: folder })

  expect({ code, stderr }).toEqual({ code: 2, stderr: 'callspec: model: cannot be listed (EACCES)\n' })
})

it('has at least 100 mistakes', () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(100)
})

it.each(MISTAKES.map(([line, message, code = 2]) => ({ line, message, code })))('callspec $line', async (mistake) => {
  const { line, message } = mistake
  const dead = `http://127.0.0.1:${CLOSED_PORT}/v1`
  const words = Array.from(line.matchAll(/'([^']*)'|\S+/g), ([word, quoted]) => quoted ?? word.replace('DEAD', dead))

  const { code, stdout, stderr } = await inProcess(words, { cwd: folderWith(FILES) })

  // Shells have their own words for a missing command.
  const said = stderr
    .replace(/and \d+ more/, 'and N more')
    .replace(/sh: (?:line )?1: (\S+): (?:command )?not found/, 'sh: 1: $1: not found')
  expect({ code, stdout, stderr: said }).toEqual({
    code: mistake.code,
    stdout: '',
    stderr: `callspec: ${message.replace('DEAD', dead)}\n`,
  })
  expect(stderr.length).toBeLessThan(260)
})
