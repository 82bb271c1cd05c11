import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { isDict, isList, loads, dumps } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { folderWith, namesIn } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

const VECTORS = resolve(import.meta.dirname, '../../../../../shared/vectors/templates')

describe('template render --batch', () => {
  it('answers every line in order, with the text or the raise', async () => {
    const cwd = folderWith({
      'data/a.jinja': '{{ messages | tojson }}',
      'b.jinja': '{{ raise_exception("no") }}',
      'c.jinja': '{{ strftime_now("%Y") }}{{ bos_token }}',
      'data/batch.jsonl': [
        '{"id": 1.0, "template": "a.jinja", "variables": {"messages": [1e5]}}',
        '',
        '{"id": "two", "template": "b.jinja", "variables": {"messages": []}}',
        '{"id": null, "variables": {"bos_token": "\\ud800"}}\r',
        '{"id": 4, "template": "broken.jinja", "variables": {}}',
      ].join('\n'),
      'data/broken.jinja': '{% if %}',
    })

    const { code, stdout } = await inProcess(
      ['template', 'render', 'c.jinja', '--batch', 'data/batch.jsonl', '--now', '2026-01-15T12:00:00Z'],
      { cwd },
    )

    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      '{"id": 1.0, "text": "[100000.0]"}',
      '{"id": "two", "raise": "no", "kind": "raise_exception"}',
      '{"id": null, "text": "2026\\ud800"}',
      expect.stringMatching(/^\{"id": 4, "raise": ".+", "kind": "TemplateSyntaxError"\}$/),
      '',
    ])
  })

  it.each([
    ['a line that is no JSON', '{"id": 1}}', 'b.jsonl:2: is not JSON: Extra data: line 1 column 10 (char 9).'],
    ['a line without variables', '{"id": 1}', 'b.jsonl:2: needs "id" and an object "variables"'],
    ['a line without an id', '{"variables": {}}', 'b.jsonl:2: needs "id" and an object "variables"'],
    ['an id that is no scalar', '{"id": [], "variables": {}}', 'b.jsonl:2: needs "id" and an object "variables"'],
    ['a template that is no path', '{"id": 1, "variables": {}, "template": 1}', 'b.jsonl:2: "template" is no path.'],
    [
      'a template that is not there',
      '{"id": 1, "variables": {}, "template": "x"}',
      'b.jsonl:2: names no template that is there: x.',
    ],
    ['no template at all', '{"id": 1, "variables": {}}', 'b.jsonl:2: names no template, and no SOURCE is given.'],
  ])('refuses %s before anything is written', async (_, line, message) => {
    const cwd = folderWith({ 'a.jinja': '', 'b.jsonl': `{"id": 1, "variables": {}, "template": "a.jinja"}\n${line}\n` })

    const { code, stdout, stderr } = await inProcess(['template', 'render', '--batch', 'b.jsonl', '-o', 'out'], { cwd })

    expect({ code, stdout, files: namesIn(cwd) }).toEqual({ code: 2, stdout: '', files: ['a.jinja', 'b.jsonl'] })
    expect(stderr.startsWith(`callspec: ${message}`)).toBe(true)
    expect(stderr.match(/\n/g)).toHaveLength(1)
  })

  // The texts of these templates are not part of the project.
  it.skipIf(!existsSync(join(VECTORS, 'texts')))(
    'gives what Python gave for every public template and probe',
    async () => {
      const recorded = gunzipSync(readFileSync(join(VECTORS, 'rendered.jsonl.gz')))
        .toString()
        .trimEnd()
        .split('\n')
      const probes = probeVariables()
      const rows = recorded.map((line) => loads(line) as PyDict)
      const lines = rows.map((row, index) =>
        dumps(
          new Map<string, PyValue>([
            ['id', BigInt(index)],
            ['template', join(VECTORS, `texts/${String(row.get('sha256'))}.jinja`)],
            ['variables', probes.get(row.get('probe') ?? null) ?? null],
          ]),
        ),
      )
      const cwd = folderWith({ 'batch.jsonl': lines.join('\n') })

      const { stdout } = await inProcess(
        ['template', 'render', '--batch', 'batch.jsonl', '--now', '2026-01-15T12:00:00Z'],
        { cwd },
      )

      const answers = stdout
        .trimEnd()
        .split('\n')
        .map((line) => loads(line) as PyDict)
      const told = (row: PyDict): PyValue => [row.get('text') ?? null, row.get('kind') ?? null]
      expect(answers.map(told)).toEqual(rows.map(told))
      expect(answers).toHaveLength(1672)
    },
  )
})

/** As the README of the recorded renderings sets them. */
function probeVariables(): ReadonlyMap<PyValue, PyDict> {
  const file = loads(readFileSync(join(VECTORS, 'probes.json'), 'utf8')) as PyDict
  const probes = file.get('probes') ?? []
  return new Map(
    (isList(probes) ? probes.filter(isDict) : []).map((probe) => {
      const tools = probe.get('tools') === true ? file.get('tools') : probe.get('tools')
      const kwargs = probe.get('kwargs') ?? null
      const tokens = { bos_token: '<s>', eos_token: '</s>', pad_token: '', unk_token: '' }
      return [
        probe.get('id') ?? null,
        new Map<string, PyValue>([
          ['messages', probe.get('messages') ?? null],
          ['tools', tools ?? null],
          ['add_generation_prompt', probe.get('add_generation_prompt') ?? true],
          ...Object.entries(tokens),
          ...(isDict(kwargs) ? kwargs : []),
        ]),
      ]
    }),
  )
}
