import { spawn } from 'node:child_process'
import type { Client as McpClient, Transport } from '@modelcontextprotocol/client'
import { quotedLine } from './output.ts'
import { messageOf, systemCode, UsageError } from './usage-error.ts'
import { noteWait } from './work-progress.ts'

/** `--mcp "COMMAND"`, for messages. */
export function mcpName(command: string): string {
  return `--mcp "${command.slice(0, 60)}"`
}

/** A server that lists more pages than this repeats itself. */
const MAX_PAGES = 1000
const SDK = '@modelcontextprotocol/client'

/**
 * Starts an MCP server with `sh -c`, and lists its tools over stdio; none is called. The server sees HOME, PATH and the like, not the other
 * variables: they may hold keys.
 *
 * @throws UsageError if the SDK is not installed, or the server does not start, list or answer in time
 */
export async function listMcpTools(command: string, timeoutMs: number): Promise<readonly unknown[]> {
  const name = mcpName(command)
  const Client = await loadClient()
  const server = startServer(command)
  const client = new Client({ name: 'callspec', version: '0' })
  const signal = AbortSignal.timeout(timeoutMs)
  const endWait = noteWait(`waits for ${quotedLine(name, 100)} to list its tools, at most ${timeoutMs / 1000} s`)
  try {
    const limits = { timeout: timeoutMs, signal }
    await client.connect(server.transport, limits)
    const tools: unknown[] = []
    let cursor: string | undefined
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await client.listTools(cursor === undefined ? {} : { cursor }, limits)
      tools.push(...answer.tools)
      cursor = answer.nextCursor
      if (cursor === undefined) return tools
    }
    throw new UsageError(`${name}: its list of tools has more than ${MAX_PAGES} pages.`)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const reason =
      server.fault() ?? (signal.aborted ? `listed no tools within ${timeoutMs / 1000} s` : messageOf(error))
    const said = server.lastWords()
    const advice =
      server.fault() === null && signal.aborted
        ? 'Run it once in a shell: it must be an MCP server on stdio that is installed already.'
        : 'Does the command start an MCP server?'
    throw new UsageError(`${name}: ${reason}${said === '' ? '' : ` (it wrote: ${said})`}. ${advice}`)
  } finally {
    endWait()
    await client.close().catch(() => undefined)
    server.kill()
  }
}

async function loadClient(): Promise<typeof McpClient> {
  try {
    const { Client } = await import('@modelcontextprotocol/client')
    return Client
  } catch (error) {
    if (systemCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new UsageError(`--mcp needs the package ${SDK}. Install it: npm install ${SDK}@2`)
  }
}

const SAFE_VARIABLES = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'] as const

/** Lines that are not JSON, and bytes in all, before the server is ended: a program that is not one may write for ever. */
const MAX_STRANGE = 100
const MAX_BYTES = 64 * 1024 * 1024

interface StartedServer {
  readonly transport: Transport
  /** Why it was ended; null if it was not. */
  fault(): string | null
  /** The last line of its stderr that names an error, else the last one; shortened. */
  lastWords(): string
  /** Ends it with all that it started. */
  kill(): void
}

/** The SDK's own transport neither bounds what a server writes, nor ends what the shell has started. */
function startServer(command: string): StartedServer {
  const env = Object.fromEntries(SAFE_VARIABLES.map((name) => [name, process.env[name]]))
  const child = spawn('sh', ['-c', command], { env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  let [fault, stderr, rest, bytes, strange] = [null as string | null, '', '', 0, 0]
  const kill = (): void => {
    child.stdout.destroy()
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All of it has ended by itself.
    }
  }
  process.once('exit', kill)
  const end = (reason: string): void => {
    fault ??= reason
    kill()
    transport.onclose?.()
  }
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message) =>
      new Promise((resolve) => {
        child.stdin.write(`${JSON.stringify(message)}\n`, () => resolve())
      }),
    close: () => {
      child.stdin.end()
      transport.onclose?.()
      return Promise.resolve()
    },
  }
  child.stdin.on('error', () => undefined)
  child.stderr.on('data', (chunk: Buffer) => (stderr = `${stderr}${chunk.toString()}`.slice(-2000)))
  child.on('error', (error) => end(messageOf(error)))
  child.on('close', (code) => {
    process.off('exit', kill)
    fault ??= `it ended${code === null ? '' : ` with exit code ${code}`}`
    transport.onclose?.()
  })
  const decoder = new TextDecoder()
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_BYTES) return end('it wrote more than 64 MB')
    const lines = decoder.decode(chunk, { stream: true }).split('\n')
    lines[0] = rest + (lines[0] ?? '')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = messageIn(line)
      if (message !== null) transport.onmessage?.(message)
      else if (line.trim() !== '') strange += 1
      if (strange > MAX_STRANGE) return end('it writes lines that are not messages of the protocol')
    }
  })
  const lastWords = (): string => {
    const lines = stderr.trim().split('\n')
    return (lines.findLast((line) => line.toLowerCase().includes('error')) ?? lines.at(-1) ?? '').trim().slice(0, 200)
  }
  return { transport, fault: () => fault, lastWords, kill }
}

type Message = Parameters<NonNullable<Transport['onmessage']>>[0]

/** The SDK checks the members. */
function messageIn(line: string): Message | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Message) : null
  } catch {
    return null
  }
}
