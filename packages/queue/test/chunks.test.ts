import { describe, expect, it } from 'vitest'
import { chunkJobs, chunkName, chunkSize, readChunk } from '../src/jobs.ts'

describe('the chunks of a run', () => {
  it('contain every episode once, and have ids that BullMQ accepts', () => {
    const jobs = [...chunkJobs([3, 1, 4, 1.5e6, 9, 2, 6], { run: 'abc', size: 3, round: 2 })]

    expect(jobs.flatMap(({ data }) => data.episodes)).toEqual([3, 1, 4, 1.5e6, 9, 2, 6])
    expect(jobs.map(({ opts }) => opts.jobId)).toEqual(['abc-0-2', 'abc-1-2', 'abc-2-2'])
    expect(jobs.every(({ opts }) => !opts.jobId.includes(':') && Number.isNaN(Number(opts.jobId)))).toBe(true)
  })

  it('are new jobs in another round', () => {
    const ids = [1, 2].map((round) => [...chunkJobs([1], { run: 'abc', size: 1, round })][0]?.opts.jobId)

    expect(new Set(ids).size).toBe(2)
  })

  it('are small in a small run, and never more than 64 episodes', () => {
    expect([1, 499, 2000, 5000, 64_000, 1_000_000].map(chunkSize)).toEqual([1, 1, 8, 20, 64, 64])
  })

  it('are read from valid jobs only', () => {
    expect(readChunk({ run: 'a', episodes: [1, 2] })).toEqual({ run: 'a', episodes: [1, 2] })
    for (const other of [
      null,
      3,
      'x',
      {},
      { run: 'a' },
      { run: 1, episodes: [] },
      { run: 'a', episodes: [-1] },
      { run: 'a', episodes: ['1'] },
    ])
      expect(readChunk(other)).toBe(null)
  })

  it('have names for people', () => {
    expect([chunkName('abc-12-3'), chunkName('7')]).toEqual(['chunk 12 (round 3)', 'chunk ? (round ?)'])
  })
})
