import type { BeginTrack, RequestHead, Track } from '../track.ts'
import { createFiles, createTrack } from './create-track.ts'
import type { OpenNew } from './create-writer.ts'
import { RECORD_ENDING } from './record-line.ts'
import type { RedactText } from './redact-json.ts'

export interface RecorderOptions {
  readonly openNew: OpenNew
  /** The share of exchanges that is recorded, from 0 to 1. Default 1. */
  readonly sample?: number
  /** A larger file takes no further exchange. Default 64 MB. */
  readonly maxFileBytes?: number
  /** Whether bodies of requests are left out. */
  readonly withoutRequests?: boolean
  /** Changes texts before they are written. */
  readonly redact?: RedactText | null
  /** Called once when recording stops for good, and once when something was left out. */
  readonly onTrouble: (message: string) => void
  /** Milliseconds, only ever subtracted. */
  readonly clock?: () => number
  /** The time of the day, in milliseconds since 1970. */
  readonly now?: () => number
  /** From 0 to 1. */
  readonly random?: () => number
}

/** The numbers of recorded exchanges. */
export interface RecordCounts {
  readonly exchanges: number
  /** Of these, how many lack a part of their reply. */
  readonly cut: number
  readonly files: number
  /** Whether the disk accepted no more bytes, so that the recording is incomplete. */
  readonly isStopped: boolean
}

/** Records exchanges into files of JSON lines. */
export interface Recorder {
  readonly begin: BeginTrack
  /** Writes the bytes that wait, and closes the files. */
  close(): Promise<RecordCounts>
}

/** Chat and text completions, messages and responses below any prefix; nothing else is recorded. */
const KNOWN = /\/(?:(?:chat\/)?completions|messages|responses)(?:\?|$)/
const DEFAULT_FILE_BYTES = 64_000_000
/** If more bytes wait for the disk, replies are cut in the recording instead of filling the memory. */
const MOST_PENDING = 64_000_000

/** Traffic never waits for it; when the disk is full, it stops recording. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { openNew, sample = 1, maxFileBytes: maxBytes = DEFAULT_FILE_BYTES, onTrouble } = options
  const { clock = () => performance.now(), now = () => Date.now(), random = () => Math.random() } = options
  const counts = { exchanges: 0, cut: 0 }
  let isStopped = false
  const onError = (error: Error): void => {
    const why = 'code' in error ? String(error.code) : error.message
    if (!isStopped) onTrouble(`recording has stopped (${why}); traffic goes on.`)
    isStopped = true
  }
  const started = `${new Date(now()).toISOString().replaceAll(':', '-')}-${process.pid}`
  const nameOf = (number: number): string => `${started}-${String(number).padStart(4, '0')}${RECORD_ENDING}`
  const files = createFiles({ openNew, nameOf, maxBytes, onError })
  const onCut = (): void => {
    if (counts.cut === 0) onTrouble(SOME_CUT)
    counts.cut += 1
  }
  const begin = (request: RequestHead): Track | null => {
    if (isStopped || !KNOWN.test(request.url) || (sample < 1 && random() >= sample)) return null
    counts.exchanges += 1
    const file = files.take()
    const began = clock()
    return createTrack(request, {
      id: counts.exchanges,
      time: new Date(now()).toISOString(),
      elapsed: () => Math.max(0, Math.round((clock() - began) * 1000)),
      add: (line, bytes) => {
        if (!isStopped) file.add(line, bytes)
      },
      addChunk: (begins, chunk) => {
        if (!isStopped) file.addChunk(begins, chunk)
      },
      isBehind: () => files.pending() > MOST_PENDING,
      onEnd: (isCut) => {
        if (isCut) onCut()
        file.leave()
      },
      withoutRequests: options.withoutRequests === true,
      redact: options.redact ?? null,
    })
  }
  const close = async (): Promise<RecordCounts> => {
    await files.finish()
    return { ...counts, files: files.count(), isStopped }
  }
  return { begin, close }
}

const SOME_CUT = 'parts of replies that are too large, or come too fast for the disk, are not recorded.'
