import { nous } from '../../src/qwen-agent.ts'
import { describe, expect, it } from 'vitest'

const STRICT = { version: 'strict' } as const

function tagged(json: string): string {
  return `<tool_call>\n${json}\n</tool_call>`
}

describe('nous under strict', () => {
  it('keeps a call whose string quotes its own tags, which every version of Qwen-Agent cuts and says so', () => {
    const json = '{"text": "write <tool_call> and </tool_call> here"}'
    const text = tagged(`{"name": "note", "arguments": ${json}}`)

    const { items } = nous.read(text, STRICT)

    expect(items).toEqual([{ kind: 'call', name: 'note', id: null, arguments: json }])
    for (const version of (nous.readVersions ?? []).filter((each) => each.startsWith('qwen-agent@'))) {
      const harms = nous.read(text, { version }).items.filter((item) => item.kind === 'issue' && item.weight === 'harm')
      expect(harms.length, version).toBeGreaterThan(0)
    }
  })

  it('keeps text between and after calls', () => {
    const call = tagged('{"name": "now", "arguments": {}}')

    const { items } = nous.read(`Before.\n${call}\nBetween.\n${call}\nBehind.`, STRICT)

    expect(items.map((item) => (item.kind === 'text' ? item.text : item.kind))).toEqual([
      ...['Before.', 'call', 'Between.', 'call'],
      'Behind.',
    ])
  })

  it('takes a draft in a thought for no call, whether the reply or the prompt has opened the thought', () => {
    const draft = tagged('{"name": "now", "arguments": {}}')

    const opened = nous.read(`<think>${draft}</think>Noon.`, STRICT)
    const prompted = nous.read(`${draft}</think>Noon.`, { ...STRICT, thoughtInContent: true })

    const expected = [
      { kind: 'reasoning', text: draft },
      { kind: 'text', text: 'Noon.' },
    ]
    expect(opened.items).toEqual(expected)
    expect(prompted.items).toEqual(expected)
  })

  it('says that a reply was cut where its call is open, and gives no call', () => {
    const { items } = nous.read('<tool_call>\n{"name": "now", "argum', STRICT)

    expect(items).toMatchObject([{ kind: 'issue', code: 'cut', weight: 'harm' }])
  })

  it('reads in pieces what it reads at once', () => {
    const text = `Hm.\n${tagged('{"name": "note", "arguments": {"q": "</tool_call>"}}')}\nDone.`
    const reader = nous.createReader(STRICT)

    for (const unit of text) reader.push(unit)
    reader.end()

    expect(reader.snapshot()).toEqual(nous.read(text, STRICT))
  })
})
