import { describe, expect, it } from 'vitest'
import { createRecordFile } from '../src/record/record-file.ts'
import type { RecordFile } from '../src/record/record-file.ts'

/** What a file holds after all of this was added to it. */
function written(entries: readonly (readonly [string, Uint8Array?])[]): Promise<Buffer> {
  return writtenBy((file) => {
    for (const [line, bytes] of entries) file.add(line, bytes)
  })
}

async function writtenBy(fill: (file: RecordFile) => void): Promise<Buffer> {
  const parts: Buffer[] = []
  const open = {
    write: (bytes: readonly Uint8Array[]): Promise<void> => {
      // The memory is used again as soon as this resolves.
      for (const each of bytes) parts.push(Buffer.from(each))
      return Promise.resolve()
    },
    close: () => Promise.resolve(),
  }
  const file = createRecordFile('it', () => Promise.resolve(open), {
    onPending: () => undefined,
    onError: (error) => {
      throw error
    },
  })
  fill(file)
  await file.finish()
  return Buffer.concat(parts)
}

function expected(entries: readonly (readonly [string, Uint8Array?])[]): Buffer {
  const pieces = entries.flatMap(([line, bytes]) =>
    bytes === undefined ? [Buffer.from(`${line}\n`)] : [Buffer.from(`${line}\n`), bytes, Buffer.from('\n')],
  )
  return Buffer.concat(pieces)
}

describe('a file of a recording', () => {
  it('holds lines and bytes as they were added, wherever a block of memory ends', async () => {
    const lines = ['{"kind":"chunk"}', '', '{"path":"/ü🎉"}', `{"long":"${'x'.repeat(200)}"}`, `"${'ü'.repeat(119)}"`]
    const entries = Array.from({ length: 4000 }, (_, at): readonly [string, Uint8Array?] => {
      const line = lines[at % lines.length] ?? ''
      return at % 7 === 0 ? [line] : [line, Buffer.alloc((at * 37) % 900, at)]
    })

    expect((await written(entries)).equals(expected(entries))).toBe(true)
  })

  it('writes the line of a chunk as JSON would, with any numbers', async () => {
    const begins = Buffer.from('{"kind":"chunk","id":7,"at":')
    const times = [0, 9, 10, 99, 100, 123_456_789, 2 ** 31, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER]
    const chunks = times.flatMap((at) => [1, 10, 4096, 262_144].map((size) => ({ at, bytes: Buffer.alloc(size, 66) })))

    const file = await writtenBy((each) => {
      for (const chunk of chunks) each.addChunk(begins, chunk)
    })

    const lines = chunks.map(({ at, bytes }): readonly [string, Uint8Array] => [
      JSON.stringify({ kind: 'chunk', id: 7, at, bytes: bytes.length }),
      bytes,
    ])
    expect(file.equals(expected(lines))).toBe(true)
  })

  it('holds what is larger than a block, and what fills one to its last byte', async () => {
    const block = 262_144
    const entries = [-2, -1, 0, 1, 2, block].flatMap((more): (readonly [string, Uint8Array?])[] => [
      ['{"n":1}', Buffer.alloc(block - 8 + more, 65)],
      [`"${'y'.repeat(block + more)}"`],
    ])

    expect((await written(entries)).equals(expected(entries))).toBe(true)
  })
})
