import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callspec, saidBy } from './program.ts'

/** Packages that are installed together. */
export interface ClientRow {
  readonly needs: 'node' | 'python3'
  readonly packages: readonly string[]
}

/** A client of `clients.json`. */
export interface Client {
  readonly name: string
  readonly title: string
  readonly version: string
  /** YYYY-MM-DD; absent if it is not known. */
  readonly date?: string
  /** The name of its row. */
  readonly row: string
  /** `{adapter}` is the folder of the adapters, `{row}` that of the packages. */
  readonly command: string
  /** Which function of it reads a stream, in Markdown. */
  readonly how: string
}

/** `adapters/clients/clients.json`. */
export interface ClientList {
  readonly dated: string
  readonly rows: Readonly<Record<string, ClientRow>>
  readonly clients: readonly Client[]
}

/** The kinds of changes, in the order of tables. */
export const KINDS = ['sound', 'readable', 'lost'] as const

/** How streams of one kind were read: by grade or fault, and `errored` and `skipped`. */
export type ClientCounts = Readonly<Record<string, number>>

/** A failure of a client, with the smallest stream. */
export interface ClientFault {
  readonly api: string
  readonly change: string
  readonly about: string
  readonly kind: (typeof KINDS)[number]
  readonly laws: readonly string[]
  readonly fault: 'misread' | 'refused' | 'missed'
  /** How many streams of this change fail alike. */
  readonly streams: number
  readonly reason: string
  /** The id of a built-in stream that fails so. */
  readonly id: string
  /** The smallest stream. */
  readonly text: string
  /** Whether its text alone fails, without its writes and its end. */
  readonly isText: boolean
}

/** `reports/clients/NAME@VERSION.json`. */
export interface ClientReport {
  readonly form: 1
  readonly client: string
  readonly title: string
  readonly version: string
  readonly date: string | null
  readonly packages: readonly string[]
  readonly how: string
  /** The day of the run. */
  readonly ran: string
  /** What is not compared, by API. */
  readonly omits: Readonly<Record<string, readonly string[]>>
  readonly counts: Readonly<Record<string, Readonly<Record<string, ClientCounts>>>>
  readonly faults: readonly ClientFault[]
}

/** A line of `conformance run --client --json`. */
interface ResultLine extends Omit<ClientFault, 'text' | 'isText' | 'streams'> {
  readonly verdict: string
  readonly grade?: string
  readonly smallest?: Pick<ClientFault, 'streams' | 'reason' | 'text' | 'isText'>
}

/** A client that could not be asked; the message is one line. */
export class ClientError extends Error {}

/** Asks a client all streams. @throws ClientError */
export async function askClient(
  client: Client,
  { command, packages, day }: { readonly command: string; readonly packages: readonly string[]; readonly day: string },
): Promise<ClientReport> {
  const scratch = mkdtempSync(join(tmpdir(), 'callspec-clients-'))
  try {
    const path = join(scratch, 'results.jsonl')
    const ended = await callspec(
      ['conformance', 'run', '--client', command, '--json', path, '--time-limit', '20000'],
      scratch,
    )
    if (ended.code !== 0 && ended.code !== 1)
      throw new ClientError(`${client.name}@${client.version}: ${saidBy(ended)}`)
    const lines = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ResultLine)
    const omits = Array.from(
      ended.stdout.matchAll(/^not compared in (\w+), as the client does not give it: (.+)$/gm),
      ([, api = '', parts = '']) => [api, parts.split(', ')] as const,
    )
    return {
      ...{ form: 1, client: client.name, title: client.title, version: client.version, date: client.date ?? null },
      ...{ packages, how: client.how, ran: day, omits: Object.fromEntries(omits) },
      ...{ counts: countsOf(lines), faults: lines.flatMap(faultOf) },
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function countsOf(lines: readonly ResultLine[]): ClientReport['counts'] {
  const counts: Record<string, Record<string, Record<string, number>>> = {}
  for (const { api, kind, verdict, grade, fault } of lines) {
    const ofKind = ((counts[api] ??= {})[kind] ??= {})
    const name = grade ?? fault ?? verdict
    ofKind[name] = (ofKind[name] ?? 0) + 1
  }
  return counts
}

function faultOf({ smallest, api, change, about, kind, laws, fault, id }: ResultLine): readonly ClientFault[] {
  return smallest === undefined ? [] : [{ ...{ api, change, about, kind, laws, fault, id }, ...smallest }]
}

/** The reports of a folder, in the order of the list; those of clients that it does not name come last. */
export function readClientReports(folder: string, { clients }: ClientList): readonly ClientReport[] {
  const place = ({ client }: ClientReport): number => {
    const at = clients.findIndex(({ name }) => name === client)
    return at === -1 ? clients.length : at
  }
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ClientReport)
    .toSorted((one, other) => place(one) - place(other))
}
