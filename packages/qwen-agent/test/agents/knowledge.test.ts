import { describe, expect, it } from 'vitest'
import { formatKnowledge } from '../../src/index.ts'
import { knowledgePrompt, withKnowledge, dumpWithKnowledge } from '../../src/reference.ts'
import { loads } from '@callspec/python'
import { profile } from './helpers.ts'

const MAIN = profile('main')
const OLD = profile('v0.0.13')
const UPLOADED = '上传的文档'

describe('formatKnowledge', () => {
  it('names the source in Chinese for a list of documents', () => {
    const entries = formatKnowledge(loads('[{"url": "/x/a.pdf", "text": ["one", "two"]}]'), MAIN)

    expect(entries).toEqual([{ source: '[文件](a.pdf)', content: 'one\n\n...\n\ntwo' }])
  })

  it('takes everything as one document when a single element is wrong', () => {
    const text = '[{"url": "a.pdf", "text": ["one"]}, {"url": "b.pdf", "text": [2]}]'

    expect(formatKnowledge(text, MAIN)).toEqual([{ source: UPLOADED, content: text }])
  })

  it('keeps a list that it cannot read as the list that it is', () => {
    const list = loads('[{"bad": 1.0}]')

    expect(knowledgePrompt(formatKnowledge(list, MAIN), 'en')).toBe(
      `# Knowledge Base\n\n## The content from ${UPLOADED}:\n\n\`\`\`\n[{'bad': 1.0}]\n\`\`\``,
    )
  })

  it('reads JSON5 only in the profiles that do', () => {
    const text = " [{url: 'a.pdf', text: ['one']}] "

    expect(formatKnowledge(text, OLD)).toEqual([{ source: '[文件](a.pdf)', content: 'one' }])
    expect(formatKnowledge(text, MAIN)).toEqual([{ source: UPLOADED, content: "[{url: 'a.pdf', text: ['one']}]" }])
  })

  it('takes a document without a name as unreadable', () => {
    const text = '[{"url": "", "text": ["one"]}]'

    expect(formatKnowledge(text, MAIN)).toEqual([{ source: UPLOADED, content: text }])
  })
})

describe('knowledgePrompt', () => {
  it('has no prompt for no entries', () => {
    expect(knowledgePrompt([], 'zh')).toBeNull()
  })

  it('leaves braces and fences of the content alone', () => {
    const block = knowledgePrompt([{ source: '{content}', content: 'a {source} ``` b' }], 'zh')

    expect(block).toBe('# 知识库\n\n## 来自 {content} 的内容：\n\n```\na {source} ``` b\n```')
  })
})

describe('withKnowledge', () => {
  it('appends to the first system message only', () => {
    const messages = withKnowledge(
      [
        { role: 'user', content: 'q' },
        { role: 'system', content: 'late' },
      ],
      'BLOCK',
      MAIN,
    )

    expect(messages).toEqual([
      { role: 'system', content: 'BLOCK' },
      { role: 'user', content: 'q' },
      { role: 'system', content: 'late' },
    ])
  })

  it('raises where older versions put single characters among the items', () => {
    const messages = [{ role: 'system', content: [{ text: 's' }] }] as const

    expect(() => withKnowledge(messages, 'B😀', OLD)).toThrow("'str' object has no attribute")
    expect(dumpWithKnowledge(messages, 'B😀', OLD)[0]?.get('content')).toEqual([
      new Map([['text', 's']]),
      '\n',
      '\n',
      'B',
      '😀',
    ])
  })
})
