import type { Dispatcher } from 'undici'

/** A request as undici wants it, and what ends it. */
export interface DispatchedRequest extends Dispatcher.DispatchOptions {
  readonly signal: AbortSignal
}

/** An answer whose body is on its way. The body is read once, in one of the two ways. */
export interface Dispatched {
  readonly status: number
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Part by part. Who leaves it early gives the connection up. */
  readonly body: AsyncIterable<Uint8Array>
  /** All of it; null for one of more than `most` bytes, which is given up. */
  readonly whole: (most: number) => Promise<Buffer | null>
}

/**
 * One request: `undici.request` without the stream, the two objects of an asynchronous context and the parsing of the address that
 * it makes for every one.
 *
 * @throws what undici says of a connection, and the reason of the signal
 */
export async function dispatched(
  dispatcher: Dispatcher,
  { signal, ...request }: DispatchedRequest,
): Promise<Dispatched> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const inbox = createInbox()
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', abort)
      inbox.fail(error)
      reject(error)
    }
    const abort = (): void => {
      const reason = signal.reason as Error
      inbox.giveUp(reason)
      fail(reason)
    }
    signal.addEventListener('abort', abort)
    dispatcher.dispatch(request, {
      onRequestStart: inbox.connected,
      onResponseStart: (_, status, headers) => {
        const { body, whole } = inbox
        if (status >= 200) resolve({ status, headers, body, whole })
      },
      onResponseData: (_, part) => inbox.add(part),
      onResponseEnd: () => {
        signal.removeEventListener('abort', abort)
        inbox.end()
      },
      onResponseError: (_, error) => fail(error),
    })
  })
}

/** What has come of a body and was not read yet. */
interface Inbox extends Pick<Dispatched, 'body' | 'whole'> {
  connected(connection: Dispatcher.DispatchController): void
  add(part: Buffer): void
  end(): void
  /** Nothing more will come. */
  fail(error: Error): void
  /** Nothing more is wanted. */
  giveUp(reason: Error): void
}

/** So much waits for a reader; then the server waits. */
const ROOM = 1 << 20

function createInbox(): Inbox {
  const { parts, changed, wake } = createParts()
  let connection: Dispatcher.DispatchController | null = null
  let given: Error | null = null
  let [room, isOver] = [ROOM, false]
  let failure: { readonly error: Error } | null = null
  const giveUp = (reason: Error): void => {
    if (isOver) return
    given = reason
    connection?.abort(reason)
  }
  /** Whether there may be more. */
  const goesOn = async (): Promise<boolean> => {
    if (failure !== null) throw failure.error
    if (isOver) return false
    // What had been read from the connection already comes within `resume`.
    const more = changed()
    connection?.resume()
    await more
    return true
  }
  const next = async (): Promise<Buffer | null> => {
    while (parts.count() === 0) if (!(await goesOn())) return null
    return parts.first()
  }
  const whole = async (most: number): Promise<Buffer | null> => {
    room = most
    while (parts.bytes() <= most) if (!(await goesOn())) return parts.all()
    giveUp(new Error('the answer is too large'))
    return null
  }
  return {
    connected: (now) => {
      connection = now
      if (given !== null) now.abort(given)
    },
    add: (part) => {
      parts.add(part)
      if (parts.bytes() > room) connection?.pause()
      wake()
    },
    end: () => {
      isOver = true
      wake()
    },
    fail: (error) => {
      failure ??= { error }
      wake()
    },
    ...{ giveUp, whole, body: partsOf(next, () => giveUp(new Error('nobody wants the rest of the answer'))) },
  }
}

/** What has come, and who waits for more. */
interface Parts {
  readonly parts: {
    add(part: Buffer): void
    /** Takes it out. */
    first(): Buffer | null
    all(): Buffer
    count(): number
    bytes(): number
  }
  changed(): Promise<void>
  wake(): void
}

function createParts(): Parts {
  const held: Buffer[] = []
  let bytes = 0
  let tell = (): void => {}
  return {
    parts: {
      add: (part) => {
        held.push(part)
        bytes += part.length
      },
      first: () => {
        const part = held.shift() ?? null
        bytes -= part?.length ?? 0
        return part
      },
      all: () => (held.length === 1 ? held[0] : undefined) ?? Buffer.concat(held),
      count: () => held.length,
      bytes: () => bytes,
    },
    changed: async () =>
      new Promise((resolve) => {
        tell = resolve
      }),
    wake: () => tell(),
  }
}

function partsOf(next: () => Promise<Buffer | null>, leave: () => void): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const value = await next()
        return value === null ? { done: true, value: undefined } : { done: false, value }
      },
      return: () => {
        leave()
        return Promise.resolve({ done: true, value: undefined })
      },
    }),
  }
}
