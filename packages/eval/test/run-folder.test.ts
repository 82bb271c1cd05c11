import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRunFolder } from '../src/store/run-folder.ts'
import type { RunFolder } from '../src/store/run-folder.ts'
import { resolveConfig } from '../src/run/run-config.ts'
import { RunError } from '../src/trace/run-error.ts'
import { temporaryFolder } from './helpers/temporary.ts'
import { turnLine } from './helpers/trace.ts'

const { manifest, suiteFile } = resolveConfig(
  { models: ['m'], baseUrl: 'http://user:secret@127.0.0.1:1/v1?key=secret' },
  new Date('2026-11-20T09:31:07.500Z'),
)
const open = (parent: string, more: Partial<Parameters<typeof createRunFolder>[0]> = {}): RunFolder =>
  createRunFolder({ parent, manifest, suite: suiteFile, ...more })

describe('a run folder', () => {
  it('is not made before there is something to write', () => {
    const parent = temporaryFolder()
    const folder = open(join(parent, 'new'))

    folder.close()

    expect(folder.path()).toBeNull()
    expect(existsSync(join(parent, 'new'))).toBe(false)
  })

  it('has the time and the hash of the plan in its name, and every line at once', () => {
    const folder = open(join(temporaryFolder(), 'new', 'reports'))

    folder.append(turnLine('one'))
    const path = folder.path() ?? ''

    expect(path.endsWith(`/2026-11-20T09-31-07-${manifest.config.slice(0, 8)}`)).toBe(true)
    expect(readFileSync(join(path, 'turns.jsonl'), 'utf8')).toMatch(
      /^\{"kind":"turn",.*"text":"one".*,"line":1,"sum":"[0-9a-f]{8}"\}\n$/,
    )
    expect(JSON.parse(readFileSync(join(path, 'run.json'), 'utf8'))).toMatchObject({
      schema: 2,
      startedAt: '2026-11-20T09:31:07.500Z',
      finishedAt: null,
      endpoints: { m: { name: 'm', baseUrl: 'http://127.0.0.1:1/v1?[redacted]' } },
    })
    folder.close()
  })

  it('of the same second is another one', () => {
    const parent = temporaryFolder()
    const [first, second] = [open(parent), open(parent)]

    first.append(turnLine('one'))
    second.append(turnLine('two'))

    expect(second.path()).toBe(`${first.path() ?? ''}-2`)
    first.close()
    second.close()
  })

  it('says which part of a plan it holds', () => {
    const folder = open(temporaryFolder(), { manifest: { ...manifest, shard: { of: 4, parts: [1] } } })

    folder.writeFile('a', '')

    expect(folder.path()).toMatch(/-[0-9a-f]{8}-1of4$/)
    folder.close()
  })

  it('is gone when it is discarded', () => {
    const parent = temporaryFolder()
    const folder = open(parent)
    folder.append(turnLine('one'))

    folder.discard()

    expect(readdirSync(parent)).toEqual([])
  })

  it('knows when its run has finished, and is then the latest', () => {
    const parent = temporaryFolder()
    const folder = open(parent)
    folder.append(turnLine('one'))

    folder.finish(new Date('2026-11-20T10:00:00Z'))
    folder.close()

    const path = folder.path() ?? ''
    expect(JSON.parse(readFileSync(join(path, 'run.json'), 'utf8'))).toMatchObject({
      finishedAt: '2026-11-20T10:00:00.000Z',
    })
    expect(join(parent, readFileSync(join(parent, 'latest'), 'utf8').trim())).toBe(path)
    expect(readdirSync(path).sort()).toEqual(['run.json', 'suite.json', 'turns.jsonl'])
  })

  it('holds a file only when it is whole', () => {
    const folder = open(temporaryFolder())

    const file = folder.startFile('episodes.jsonl')
    for (let line = 0; line < 50_000; line += 1) file.add(`${line}\n`)
    const before = existsSync(join(folder.path() ?? '', 'episodes.jsonl'))
    file.done()

    expect(before).toBe(false)
    expect(readFileSync(join(folder.path() ?? '', 'episodes.jsonl'), 'utf8').split('\n')).toHaveLength(50_001)
    folder.close()
  })

  it('leaves nothing of a file that was not finished, and says what keeps one from being put in its place', () => {
    const folder = open(temporaryFolder())
    const file = folder.startFile('episodes.jsonl')
    file.add('half')
    const path = folder.path() ?? ''
    mkdirSync(join(path, 'taken', 'inside'), { recursive: true })

    const failed = caught(() => folder.writeFile('taken', 'text'))
    folder.close()

    expect((failed as RunError).message).toMatch(
      /taken cannot be written \((?:EISDIR|ENOTEMPTY|EEXIST).*\)\. --reports/,
    )
    expect(readdirSync(path).sort()).toEqual(['run.json', 'suite.json', 'taken', 'turns.jsonl'])
  })

  it('that cannot be made says where, and what to do', () => {
    const parent = temporaryFolder()
    writeFileSync(join(parent, 'file'), '')

    expect(() => open(join(parent, 'file')).append(turnLine('one'))).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /^.*file.* cannot be written \(ENOTDIR.*\)\. --reports DIR names another place\.$/,
        ) as string,
      }),
    )
  })

  it.skipIf(process.getuid?.() === 0)('in a folder that may not be written says so', () => {
    const parent = temporaryFolder()
    chmodSync(parent, 0o500)

    expect(() => open(parent).append(turnLine('one'))).toThrow(/EACCES.*--reports DIR names another place\.$/)
  })
})

describe('the journal', () => {
  const fullAfter = (bytes: number): RunFolder => {
    let room = bytes
    const system = {
      write: (file: number, bytes: Uint8Array, offset: number): number => {
        if (room <= 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
        const count = Math.min(room, bytes.length - offset)
        room -= count
        return writeSync(file, bytes, offset, count)
      },
      sync: (_: number, done: () => void) => done(),
    }
    return open(temporaryFolder(), { system })
  }

  it('on a full disk keeps every whole line and says what to do', () => {
    const { length } = `${JSON.stringify(turnLine('one'))},"line":1,"sum":"01234567"\n`
    const folder = fullAfter(length * 2 + 10)

    folder.append(turnLine('one'))
    folder.append(turnLine('one'))
    const failed = caught(() => folder.append(turnLine('one')))

    expect(failed).toBeInstanceOf(RunError)
    expect((failed as RunError).message).toMatch(
      /turns\.jsonl cannot be written \(ENOSPC: .*\)\. Make room, then go on with --resume: everything so far is kept\.$/,
    )
    expect(readFileSync(join(folder.path() ?? '', 'turns.jsonl'), 'utf8')).toMatch(
      /^\{.*"line":1,"sum":"\w{8}"\}\n\{.*"line":2,"sum":"\w{8}"\}\n$/,
    )
    folder.close()
  })

  it('hands over each line in one write, and syncs at most once a second', () => {
    const writes: string[] = []
    let syncs = 0
    const system = {
      write: (_: number, bytes: Uint8Array, offset: number): number => {
        writes.push(Buffer.from(bytes.subarray(offset)).toString('utf8'))
        return bytes.length - offset
      },
      sync: (_: number, done: () => void): void => {
        syncs += 1
        done()
      },
    }
    const folder = open(temporaryFolder(), { system })
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())

    for (let at = 0; at < 35; at += 1) {
      folder.append(turnLine(`${at}`))
      vi.advanceTimersByTime(100)
    }

    expect(writes).toHaveLength(35)
    expect(writes.every((text) => text.indexOf('\n') === text.length - 1)).toBe(true)
    expect(syncs).toBe(3)
    folder.close()
  })
})

function caught(act: () => void): unknown {
  try {
    act()
    return null
  } catch (error) {
    return error
  }
}
