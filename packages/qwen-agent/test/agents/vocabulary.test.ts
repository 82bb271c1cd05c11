import { describe, expect, it } from 'vitest'
import { memoryAgent } from '../../src/index.ts'
import type { LoopAction, LoopEvent } from '../../src/index.ts'
import { completion, modelOf, run, texts, user } from './helpers.ts'

const KEYWORDS = '{"keywords_en": ["dog"]}'
const WORDS: LoopEvent = { type: 'tool-result', result: 'dog, canvas' }

function memory(strategy: string) {
  return memoryAgent({ model: modelOf('main'), strategy, files: ['a.pdf'] })
}

/** Answers the model with one text after the other, and each tool by its name. */
function world(replies: readonly string[], vocabulary: LoopEvent): (action: LoopAction) => LoopEvent {
  let next = 0
  return (action) => {
    if (action.type === 'generate') return completion(replies[next++] ?? '')
    const isVocabulary = action.type === 'call-tool' && action.call.name === 'extract_doc_vocabulary'
    return isVocabulary ? vocabulary : { type: 'tool-result', result: 'found' }
  }
}

function prompts(actions: readonly LoopAction[]): readonly (string | undefined)[] {
  return actions.flatMap((action) =>
    action.type === 'generate' ? [texts(action.prepared.serviceMessages).at(-1)] : [],
  )
}

describe('keywords with knowledge', () => {
  it('are asked for in the words of the documents', () => {
    const { actions } = run(memory('GenKeywordWithKnowledge'), [user('draw a dog')], world([KEYWORDS], WORDS))

    expect(actions.map((action) => (action.type === 'call-tool' ? action.call.name : action.type))).toEqual([
      'extract_doc_vocabulary',
      'generate',
      'retrieval',
      'finish',
    ])
    expect(actions[0]).toMatchObject({ by: 'memory', call: { arguments: '{"files": ["a.pdf"]}' } })
    expect(prompts(actions)[0]).toMatch(
      /<Refs> List of words for this scene:\ndog, canvas\n\.\.\.\nQuestion: draw a dog\n/,
    )
  })

  it('are made of the fragments of a split, and then without the files', () => {
    const split = '{"information": ["狗'

    const { actions } = run(
      memory('SplitQueryThenGenKeywordWithKnowledge'),
      [user('draw a dog')],
      world([split, KEYWORDS], WORDS),
    )

    expect(actions[1]).toMatchObject({ type: 'call-tool', call: { arguments: '{"files": []}' } })
    expect(prompts(actions)[1]).toMatch(/<Refs>本场景词汇列表：\ndog, canvas\n\.\.\.\nQuestion: 狗\n/)
  })

  it('show the model why there are no words', () => {
    const failure: LoopEvent = { type: 'tool-failed', error: { type: 'ValueError', message: 'empty vocabulary' } }

    const { actions } = run(memory('GenKeywordWithKnowledge'), [user('q')], world([KEYWORDS], failure))

    expect(prompts(actions)[0]).toContain(
      'An error occurred when calling tool `extract_doc_vocabulary`:\nValueError: empty vocabulary\n',
    )
  })

  it('are not made where the error is one that no agent catches', () => {
    const failure: LoopEvent = { type: 'tool-failed', error: { type: 'DocParserError', message: 'no page' } }

    const { error } = run(memory('GenKeywordWithKnowledge'), [user('q')], world([], failure))

    expect(error).toMatchObject({ type: 'DocParserError', message: 'no page' })
  })
})
