import { describe, expect, it } from 'vitest'
import { FORMATS, formatNamed, promptFrame } from '../../src/index.ts'

describe('the frame of a prompt', () => {
  it('knows what is between results that share the marks of their turn', () => {
    const nemotron = formatNamed('nemotron-v2')

    expect(nemotron === null ? null : promptFrame(nemotron)).toMatchObject({
      beforeResult: ['</TOOLCALL>\n<SPECIAL_12>\n<SPECIAL_11>User\n<TOOL_RESPONSE>['],
      betweenResults: ', ',
      afterResult: [']</TOOL_RESPONSE><SPECIAL_11>Assistant\n'],
    })
  })

  it('has marks of its own for each result in all other families but one', () => {
    const shared = FORMATS.filter((format) => (promptFrame(format)?.betweenResults ?? null) !== null)

    expect(shared.map(({ id }) => id)).toEqual(['apertus', 'nemotron-v2'])
  })
})
