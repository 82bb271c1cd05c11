import { loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { loadTemplate } from '../src/index.ts'

/** The kind of the refusal, or `loaded`; single quotes stand for double ones. */
function kindOf(json: string): string {
  const result = loadTemplate(loads(json.replaceAll("'", '"')))
  return result.kind === 'refused' ? result.fault.kind : result.kind
}

describe('a template is refused', () => {
  it.each([
    ['not-an-object', '[]'],
    ['version', "{'version': '1', 'fields': {'a': {}}, 'start_anchor': 'x'}"],
    ['unknown-key', "{'$schema': '', 'fields': {'a': {}}, 'start_anchor': 'x'}"],
    ['defaults-type', "{'defaults': [], 'fields': {'a': {}}, 'start_anchor': 'x'}"],
    ['fields-type', "{'fields': {}, 'start_anchor': 'x'}"],
    ['field-type', "{'fields': {'a': 1}, 'start_anchor': 'x'}"],
    ['unknown-field-key', "{'fields': {'a': {'closes': 'x'}}, 'start_anchor': 'x'}"],
    ['content-type', "{'fields': {'a': {'content': []}}, 'start_anchor': 'x'}"],
    ['unknown-content', "{'fields': {'a': {'content': 'xml'}}, 'start_anchor': 'x'}"],
    ['both-forms', "{'fields': {'a': {'open': null, 'open_pattern': null}}, 'start_anchor': 'x'}"],
    ['empty-list', "{'fields': {'a': {'open': []}}, 'start_anchor': 'x'}"],
    ['list-of-non-strings', "{'fields': {'a': {'open': ['x', 1]}}, 'start_anchor': 'x'}"],
    ['literal-type', "{'fields': {'a': {'close': null}}, 'start_anchor': 'x'}"],
    ['empty-literal', "{'fields': {'a': {'close': ''}}, 'start_anchor': 'x'}"],
    ['pattern-type', "{'fields': {'a': {'open_pattern': 1}}, 'start_anchor': 'x'}"],
    ['regex', "{'fields': {'a': {'open_pattern': '('}}, 'start_anchor': 'x'}"],
    ['join-type', "{'fields': {'a': {'join': 1}}, 'start_anchor': 'x'}"],
    ['join-without-repeats', "{'fields': {'a': {'join': ''}}, 'start_anchor': 'x'}"],
    ['transform-each-type', "{'fields': {'a': {'transform_each': 1}}, 'start_anchor': 'x'}"],
    ['transform-each-alone', "{'fields': {'a': {'transform_each': true}}, 'start_anchor': 'x'}"],
    ['mixed-placeholder', "{'fields': {'a': {'transform': ['a {content}']}}, 'start_anchor': 'x'}"],
    ['groups-without-transform', "{'fields': {'a': {'open_pattern': '(?P<n>a)'}}, 'start_anchor': 'x'}"],
    ['two-implicit', "{'fields': {'a': {}, 'b': {}}, 'start_anchor': 'x'}"],
    ['no-anchor', "{'fields': {'a': {}}}"],
    ['loaded', "{'version': 1.0, 'fields': {'a': {'join': null}}, 'start_anchor': ['x', 'xy']}"],
  ])('%s: %s', (kind, json) => {
    expect(kindOf(json)).toBe(kind)
  })

  it('with the message that transformers prints', () => {
    const result = loadTemplate(loads('{"start_anchor": "a", "fields": {"it\'s": {"open": ""}}}'))

    expect(result.kind === 'refused' && result.fault).toEqual({
      stage: 'load',
      type: 'ValueError',
      kind: 'empty-literal',
      message: "Field 'it's': 'open' literals cannot be empty strings",
    })
  })
})

describe('a large template', () => {
  it('loads with 10,000 fields', () => {
    const fields = Array.from({ length: 10_000 }, (_, index) => [`f${index}`, fieldWith(`<${index}>`)] as const)

    expect(loadTemplate(templateWith(new Map(fields))).kind).toBe('loaded')
  })

  it('loads with a transform that is nested as deep as JSON may be', () => {
    const transform = Array.from({ length: 900 }).reduce<PyValue>((inner) => [inner], '{content}')
    const field = new Map<string, PyValue>([...fieldWith('<'), ['transform', transform]])

    expect(loadTemplate(templateWith(new Map([['x', field]]))).kind).toBe('loaded')
  })

  it('loads with a pattern of 150,000 characters, and refuses a longer one', () => {
    const field = new Map<string, PyValue>([['open_pattern', `${'y[ab]*'.repeat(10_000)}|${'a|'.repeat(40_000)}b`]])
    const longer = new Map<string, PyValue>([['open_pattern', 'a'.repeat(200_001)]])

    expect(loadTemplate(templateWith(new Map([['x', field]]))).kind).toBe('loaded')
    expect(loadTemplate(templateWith(new Map([['x', longer]]))).kind).toBe('refused')
  })

  it('refuses groups that are nested too deeply in a pattern', () => {
    const pattern = '('.repeat(5_000) + ')'.repeat(5_000)
    const field = new Map<string, PyValue>([['open_pattern', pattern]])
    const result = loadTemplate(templateWith(new Map([['x', field]])))

    expect(result.kind === 'refused' && result.fault.kind).toBe('regex')
  })
})

function fieldWith(open: string): PyDict {
  return new Map([['open', open]])
}

function templateWith(fields: PyDict): PyDict {
  return new Map<string, PyValue>([
    ['start_anchor', 'x'],
    ['fields', fields],
  ])
}
