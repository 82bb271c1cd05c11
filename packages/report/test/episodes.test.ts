import { inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { EVERYTHING, episodeAddress, listAddress, readAddress } from '../page/episodes/address.ts'
import { findEpisodes } from '../page/episodes/find.ts'
import { unpack } from '../page/episodes/unpack.ts'
import type { EpisodeBlock, EpisodeIndex } from '../src/evaluation/page-data.ts'
import { packEpisodes } from '../src/evaluation/episodes.ts'
import { renderEvaluation } from '../src/evaluation/page.ts'
import { episodeOf, HOSTILE, smallReport } from './helpers/reports.ts'

const MODEL = 'org/a&b=c #1'

function indexOf(packed: string): EpisodeIndex {
  return JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString()) as EpisodeIndex
}

const packed = packEpisodes([
  episodeOf(MODEL, 'fncall-qwen'),
  episodeOf(MODEL, 'react', { ending: 'empty' }),
  episodeOf(MODEL, 'react', { task: 'S02' }),
  episodeOf(MODEL, 'fncall-qwen', { task: 'S02' }),
])
const index = indexOf(packed.index)

describe('packed episodes', () => {
  it('are all there, and the same for the same episodes', () => {
    const again = packEpisodes([0, 1, 2, 3].map((sample) => episodeOf('m', 'react', { sample, text: HOSTILE })))

    expect(packed.count).toBe(4)
    expect(index.rows).toHaveLength(4)
    expect(again).toEqual(
      packEpisodes([0, 1, 2, 3].map((sample) => episodeOf('m', 'react', { sample, text: HOSTILE }))),
    )
  })

  it('are unpacked as they were, hostile texts and lone surrogates included', async () => {
    const { blocks } = packEpisodes([episodeOf('m', 'react', { text: HOSTILE })])
    const block = (await unpack(blocks[0] ?? '')) as EpisodeBlock

    expect(block.texts).toContain(HOSTILE)
  })

  it('hold the conversation before the question, and its calls', async () => {
    const call = { id: 'a', type: 'function', function: { name: 'clock', arguments: '{"zone": "UTC"}' } } as const
    const earlier = [
      { role: 'user', content: HOSTILE },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', content: '12:00', tool_call_id: 'a' },
    ] as const
    const packed = packEpisodes([{ ...episodeOf('m', 'react'), earlier }, episodeOf('m', 'react', { sample: 1 })])
    const { texts, episodes } = (await unpack(packed.blocks[0] ?? '')) as EpisodeBlock

    expect(episodes[0]?.earlier?.map(([role, text]) => [role, texts[text]])).toEqual([
      ['user', HOSTILE],
      ['assistant', 'clock({"zone": "UTC"})'],
      ['tool', '12:00'],
    ])
    expect(episodes[1]).not.toHaveProperty('earlier')
  })

  it('say in words why a verdict failed, and leave names as they are', async () => {
    const { trace, score } = episodeOf('m', 'react', { ending: 'empty' })
    const reasons = ['no_final_answer', 'missing_call:my_tool', 'Own words: a_b']
    const block = (await unpack(
      packEpisodes([{ trace, score: { ...score, reasons } }]).blocks[0] ?? '',
    )) as EpisodeBlock

    expect(block.episodes[0]?.reasons).toEqual([
      { en: 'no final answer', zh: '没有最终回答' },
      { en: 'missing call: my_tool', zh: '缺少调用：my_tool' },
      { en: 'Own words: a_b', zh: 'Own words: a_b' },
    ])
  })

  it('are in several blocks where they are many, each episode in one', () => {
    const many = packEpisodes(Array.from({ length: 900 }, (_, sample) => episodeOf('m', 'react', { sample })))
    const { blockEnds } = indexOf(many.index)

    expect(blockEnds).toEqual([400, 800, 900])
    expect(many.blocks).toHaveLength(3)
  })

  it('are in files next to the page where they are too large for it', () => {
    const inside = renderEvaluation(smallReport())
    const beside = renderEvaluation(smallReport(), { mostInside: 10 })

    expect([...inside.files]).toEqual([])
    expect(inside.html).toContain('id="episode-block-0"')
    expect([...beside.files.keys()]).toEqual(['report-data/0.js'])
    expect(beside.html).not.toContain('id="episode-block-0"')
    expect(beside.html.length).toBeLessThan(inside.html.length)
  })
})

describe('an address', () => {
  it.each([0, 1, 2, 3])('of episode %i leads to it, whatever its model is called', (episode) => {
    expect(readAddress(episodeAddress(episode, null, index), index)).toEqual({ kind: 'episode', episode, beside: null })
  })

  it('of two formats leads to both', () => {
    expect(readAddress(episodeAddress(1, 0, index), index)).toEqual({ kind: 'episode', episode: 1, beside: 0 })
  })

  it('of a list keeps every filter', () => {
    const filter = { ...EVERYTHING, model: MODEL, outcome: 'failed', differing: true, words: 'a b&c' }

    expect(readAddress(listAddress(filter), index)).toEqual({ kind: 'list', filter })
  })

  it.each(['#episode=nobody/react/S01/0', '#episode=%E0%A4%A', '#blame', ''])('%s leads nowhere', (hash) => {
    expect(readAddress(hash, index)).toBeNull()
  })
})

describe('the filters', () => {
  it('find by outcome, by cause, by format and by name', () => {
    const cause = index.causes[index.rows[1]?.[6][0] ?? -1]?.key ?? ''

    expect(findEpisodes(index, { ...EVERYTHING, outcome: 'failed' })).toEqual([1])
    expect(findEpisodes(index, { ...EVERYTHING, protocol: 'react' })).toEqual([1, 2])
    expect(findEpisodes(index, { ...EVERYTHING, cause })).toEqual([1])
    expect(findEpisodes(index, { ...EVERYTHING, words: 's02' })).toEqual([2, 3])
  })

  it('find where one format solves what another one does not', () => {
    expect(findEpisodes(index, { ...EVERYTHING, differing: true })).toEqual([0, 1])
  })
})
