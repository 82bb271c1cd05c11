import { describe, expect, it } from 'vitest'
import { createRecordFile } from '../src/record/record-file.ts'

/** What a file holds after all of this was added to it. */
async function written(entries: readonly (readonly [string, Uint8Array?])[]): Promise<Buffer> {
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
  for (const [line, bytes] of entries) file.add(line, bytes)
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

  it('holds what is larger than a block, and what fills one to its last byte', async () => {
    const block = 262_144
    const entries = [-2, -1, 0, 1, 2, block].flatMap((more): (readonly [string, Uint8Array?])[] => [
      ['{"n":1}', Buffer.alloc(block - 8 + more, 65)],
      [`"${'y'.repeat(block + more)}"`],
    ])

    expect((await written(entries)).equals(expected(entries))).toBe(true)
  })
})
