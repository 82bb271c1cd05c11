import { plural } from '@callspec/eval/text'
import type { Proxy, Recorder, RedactText, ProxyTarget } from '@callspec/proxy'
import { createFolder, createRecorder, openNewIn, readTarget, startProxy } from '@callspec/proxy'
import { durationFrom } from '../arguments.ts'
import type { Command, ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import { interrupted } from '../environment.ts'
import { exportsOf, importModule } from '../found-files.ts'
import { messageOf, systemCode, UsageError } from '../usage-error.ts'

export const proxyCommand: Command = {
  name: 'proxy',
  usage: ['proxy --to URL [--record FOLDER] [options]', 'proxy check PATH… [--save FOLDER] [--json]'],
  about:
    'Passes traffic between clients and an OpenAI-compatible server on unchanged: chunks as they arrive, errors, ' +
    'aborts, compressed bodies, unknown paths. With --record it keeps requests, the raw chunks of replies with their ' +
    'times, and how each ended. `proxy check` reports the faults in such a recording, or in logs of server-sent events.',
  subcommands: { check: 'Find broken streams and lost calls in recordings, and in logs of other programs.' },
  subcommandOptions: {
    '': ['to', 'record', 'port', 'host', 'sample', 'max-file', 'without-requests', 'redact', 'timeout', 'json'],
    check: ['save', 'examples', 'json'],
  },
  worksAlone: true,
  maxPositionals: Infinity,
  options: {
    to: { value: 'URL', help: 'Server to pass on to, up to /v1.' },
    record: { value: 'FOLDER', help: 'Record chat and text completions here. Default: nothing is recorded.' },
    port: { value: 'N', help: 'Port to listen on. Default: any free one, which is printed.' },
    host: { value: 'ADDRESS', help: 'Address to listen on. Default: 127.0.0.1, only for this machine.' },
    sample: { value: 'X', help: 'Record this share of the exchanges, such as 0.01. Default: 1.' },
    'max-file': { value: 'MB', help: 'Begin a new file after this size. Default: 64.' },
    'without-requests': { help: 'Record no bodies of requests.' },
    redact: {
      value: 'FILE.mjs',
      help: 'Module whose function redact(text) returns the text to record. Texts are joined over chunks first.',
    },
    timeout: {
      value: 'TIME',
      help: 'Answer 504 if the server sends nothing for so long, such as 10m. Default: never.',
    },
    save: { value: 'FOLDER', help: 'With check: make a case of each kind of finding, as small as possible.' },
    examples: { value: 'N', help: 'With check: how many examples of each finding to show. Default: 3.' },
    json: { help: 'Print the address, or with check the findings, as JSON.' },
  },
  examples: [
    'callspec proxy --to http://127.0.0.1:8000/v1 --record traffic --port 8900',
    'callspec proxy --to https://api.example.com/v1 --record traffic --sample 0.01 --without-requests',
    'callspec proxy check traffic',
    'callspec proxy check session.sse --json',
    'callspec proxy check traces.jsonl',
  ],
  notes: [
    'Keys stay out of a recording: values of headers that may be one, of queries and cookies, and what a server quotes of them. Texts ' +
      'stay in it, unless --redact takes them out. The folder is made for its owner alone.',
    'WebSockets are refused. When the disk is full, recording stops with one message, and traffic continues.',
    'Exit codes: 0 after Ctrl-C, or if check finds nothing broken; 1 check found something broken; 2 misuse, or the port is ' +
      'in use; 3 check could read no reply.',
  ],
  run: runProxyCommand,
}

async function runProxyCommand(invocation: Invocation): Promise<ExitCode> {
  if (invocation.subcommand === 'check') {
    const { runCheck } = await import('../proxy/check.ts')
    return runCheck(invocation)
  }
  return runProxy(invocation)
}

/** For requests in flight after Ctrl-C. */
const CLOSE_GRACE_MS = 5000

async function runProxy(invocation: Invocation): Promise<ExitCode> {
  const { options, output } = invocation
  for (const name of ['save', 'examples'])
    if (options.text(name) !== null) throw new UsageError(`--${name} belongs to callspec proxy check PATH.`)
  const target = proxyTarget(options.text('to'))
  const timeout = options.text('timeout')
  const timeoutMs = timeout === null ? null : durationFrom('--timeout', timeout, { min: 1, max: 86_400_000 })
  const recorder = await recorderOf(invocation)
  const proxy = await started(invocation, { target, timeoutMs, recorder })
  if (options.flag('json')) output.line(JSON.stringify({ baseUrl: `${proxy.url}/v1`, pid: process.pid }))
  else {
    output.line(`${proxy.url}/v1`)
    output.note(
      `callspec: passing on to ${target.host}${recorder === null ? ', recording nothing' : ''}. Ctrl-C ends it.`,
    )
  }
  await interrupted()
  await proxy.close(CLOSE_GRACE_MS)
  const counts = await recorder?.close()
  if (counts !== undefined) {
    const { exchanges, cut, files, isStopped } = counts
    const what = isStopped ? 'recorded until recording stopped' : `recorded in ${plural(files, 'file')}`
    const lacking = cut === 0 ? '' : ` A part of the reply is missing in ${cut} of them.`
    output.note(`callspec: ${plural(exchanges, 'exchange')} ${what}.${lacking}`)
  }
  return EXIT.ok
}

function proxyTarget(url: string | null): ProxyTarget {
  if (url === null) throw new UsageError('which server? Give --to URL, such as --to http://127.0.0.1:8000/v1')
  const target = readTarget(url)
  if ('fault' in target) throw new UsageError(`--to: ${target.fault}`)
  return target
}

interface Started {
  readonly target: ProxyTarget
  readonly timeoutMs: number | null
  readonly recorder: Recorder | null
}

async function started({ options }: Invocation, { target, timeoutMs, recorder }: Started): Promise<Proxy> {
  const port = options.integer('port', { min: 0, max: 65_535 }) ?? 0
  const host = options.text('host') ?? '127.0.0.1'
  const begin = recorder === null ? {} : { begin: recorder.begin }
  try {
    return await startProxy({ target, port, host, timeoutMs, ...begin })
  } catch (error) {
    const why =
      systemCode(error) === 'EADDRINUSE' ? 'is taken' : `cannot be used (${systemCode(error) ?? messageOf(error)})`
    throw new UsageError(`port ${port} of ${host} ${why}. Give another one with --port, or leave it out.`)
  }
}

async function recorderOf({ options, output }: Invocation): Promise<Recorder | null> {
  const folder = options.text('record')
  const sample = options.number('sample', { min: 0, max: 1 }) ?? 1
  const megabytes = options.number('max-file', { min: 0.001, max: 100_000 }) ?? 64
  const redactFile = options.text('redact')
  if (folder === null) {
    for (const name of ['sample', 'max-file', 'redact'])
      if (options.text(name) !== null) throw new UsageError(`--${name} needs --record FOLDER.`)
    if (options.flag('without-requests')) throw new UsageError('--without-requests needs --record FOLDER.')
    return null
  }
  const redact = redactFile === null ? null : await redactorIn(redactFile)
  if (await isOpenToOthers(folder))
    output.warn(`others can read the folder ${folder}. Only you can read the files of the recording.`)
  return createRecorder({
    openNew: openNewIn(folder),
    sample,
    maxFileBytes: megabytes * 1e6,
    withoutRequests: options.flag('without-requests'),
    redact,
    onTrouble: (message) => output.warn(message),
  })
}

async function isOpenToOthers(folder: string): Promise<boolean> {
  try {
    return (await createFolder(folder)).isOpenToOthers
  } catch (error) {
    throw new UsageError(`${folder}: recordings cannot be written there (${systemCode(error) ?? messageOf(error)})`)
  }
}

async function redactorIn(path: string): Promise<RedactText> {
  const found = await importModule(path)
  const { redact } = found
  if (typeof redact !== 'function')
    throw new UsageError(`${path}: exports no function redact(text). ${exportsOf(found)}`)
  // Its result is checked before it is written.
  return redact as RedactText
}
