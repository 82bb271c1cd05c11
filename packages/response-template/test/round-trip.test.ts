import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDict, loads } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { compileTemplate } from '@callspec/template'
import { describe, expect, it } from 'vitest'
import { loadTemplate } from '../src/index.ts'
import type { ResponseTemplate } from '../src/index.ts'
import { conversationCases, roundTrip, roundTripCases, turnEnd } from '../src/roundtrip/index.ts'
import type { RenderPrompt, RoundTrip } from '../src/roundtrip/index.ts'
import { dictOf, hasVectors, namedInputs, vectorLines } from './helpers/vectors.ts'

const CHAT = `{%- for m in messages %}<|{{ m.role }}|>{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content | trim }}
{%- for c in m.tool_calls or [] %}<call={{ c.function.name }}>{{ c.function.arguments | tojson }}</call>{% endfor %}<end>
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`

const RESPONSE = `{"start_anchor": "<|assistant|>", "fields": {
  "reasoning_content": {"open": "<think>", "close": "</think>"},
  "tool_calls": {"open_pattern": "<call=(?P<name>\\\\w+)>", "close": "</call>", "repeats": true, "content": "json",
    "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}},
  "content": {"close_pattern": "<end>\\\\s*|$", "repeats": true, "join": ""}}}`

function templateOf(json: string): ResponseTemplate {
  const loaded = loadTemplate(loads(json))
  if (loaded.kind === 'refused') throw new Error(loaded.fault.message)
  return loaded.template
}

function rendererOf(source: string, tokens: Readonly<Record<string, string>> = {}): RenderPrompt {
  const compiled = compileTemplate(source)
  const variables = (given: PyDict): PyDict => new Map([...Object.entries(tokens), ['documents', null], ...given])
  return (given) => Promise.resolve(compiled.render(variables(given), { now: new Date('2026-01-15T12:00:00Z') }))
}

async function allTrips(render: RenderPrompt, template: ResponseTemplate): Promise<ReadonlyMap<string, RoundTrip>> {
  const end = await turnEnd(render)
  const trips = new Map<string, RoundTrip>()
  for (const one of roundTripCases())
    trips.set(one.id, await roundTrip(one, { render, template, isCut: one.id === 'lines' }, end))
  return trips
}

describe('a round trip', () => {
  it('takes 41 messages through both templates, and says which part does not come back, and why', async () => {
    const trips = await allTrips(rendererOf(CHAT), templateOf(RESPONSE))

    const others = Array.from(trips.values()).filter(({ verdict }) => verdict !== 'same')
    expect(trips.size).toBe(41)
    expect(others.map(({ id, verdict, differs }) => [id, verdict, ...differs])).toEqual([
      ['edges', 'chat-template-loses', 'content'],
      ['last line feed', 'chat-template-loses', 'content'],
      ['name with a hyphen', 'differs', 'content', 'calls'],
      ['name with a dot', 'differs', 'content', 'calls'],
    ])
  })

  it('ends a reply behind the stop token, and finds the places where a stream differs', async () => {
    const trips = await allTrips(rendererOf(CHAT), templateOf(RESPONSE))

    expect([trips.get('lines')?.written?.reply, trips.get('lines')?.cuts?.length]).toEqual([
      'One.\n\nTwo.\n- three<end>',
      6,
    ])
  })

  it('uses what prompt and conversation share where one does not begin with the other', async () => {
    const render = rendererOf(
      CHAT.replace('{% if add_generation_prompt %}<|assistant|>', '{% if add_generation_prompt %}<|assistant|><think>'),
    )
    const trips = await allTrips(render, templateOf(RESPONSE))

    const plain = trips.get('plain')
    expect([plain?.written?.isPromptPrefix, plain?.written?.prompt, plain?.written?.reply]).toEqual([
      false,
      '<|user|>Hi<end>\n<|assistant|>',
      'It is noon.<end>',
    ])
  })

  it('reports what a chat template refuses', async () => {
    const render = rendererOf(
      `{% for m in messages %}{% if m.tool_calls %}{{ raise_exception('No tools.') }}{% endif %}{% endfor %}${CHAT}`,
    )
    const trips = await allTrips(render, templateOf(RESPONSE))

    expect([trips.get('one call')?.verdict, trips.get('one call')?.refusal]).toEqual([
      'chat-template-refuses',
      'No tools.',
    ])
  })

  it('takes each message of an assistant in a conversation, with arguments that are text', () => {
    const conversation = loads(
      '{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": null, "thinking": "Hm.", "tool_calls": ' +
        '[{"function": {"name": "f", "arguments": "{\\"n\\": 1.0}"}}]}, {"role": "assistant", "content": [{"type": "image"}]}]}',
    )
    const cases = conversationCases(conversation, 'x:1')

    expect(cases.map(({ id, content, reasoning, calls }) => ({ id, content, reasoning, calls }))).toEqual([
      { id: 'x:1 messages[1]', content: '', reasoning: 'Hm.', calls: [{ name: 'f', arguments: new Map([['n', 1]]) }] },
    ])
  })
})

const TEXTS = resolve(import.meta.dirname, '../../../../shared/vectors/templates/texts')

describe.skipIf(!hasVectors || !existsSync(TEXTS))('pairs in use', () => {
  it('write and read each message as the public vectors say, where the chat template is here', async () => {
    const named = namedInputs()
    const lines = vectorLines('roundtrip').filter((line) => !String(line.get('id')).endsWith('/written'))
    const wrong: string[] = []
    let compared = 0
    const pairs = grouped(lines)
    for (const [pair, of] of pairs) {
      const [id = '', sha256 = ''] = pair.split(' ')
      const path = `${TEXTS}/${sha256}.jinja`
      if (!existsSync(path)) continue
      const loaded = loadTemplate(named.templates.get(id) ?? null)
      if (loaded.kind === 'refused') continue
      const render = rendererOf(readFileSync(path, 'utf8'), { bos_token: '<s>', eos_token: '</s>' })
      const trips = await allTrips(render, loaded.template)
      for (const line of of) {
        compared += 1
        const trip = trips.get(String(line.get('id')).split('/').at(-1) ?? '')
        if (!isAsRecorded(line, trip)) wrong.push(String(line.get('id')))
      }
    }

    expect(wrong).toEqual([])
    expect(compared).toBeGreaterThan(300)
  })
})

function grouped(lines: readonly PyDict[]): ReadonlyMap<string, readonly PyDict[]> {
  const groups = new Map<string, PyDict[]>()
  for (const line of lines) {
    const pair = `${String(line.get('template'))} ${sha256Of(line)}`
    groups.set(pair, [...(groups.get(pair) ?? []), line])
  }
  return groups
}

function sha256Of(line: PyDict): string {
  return String(dictOf(line.get('chat_template') ?? null).get('sha256'))
}

function isAsRecorded(line: PyDict, trip: RoundTrip | undefined): boolean {
  const input = line.get('input')
  const isReply =
    !isDict(input) || (trip?.written?.reply === input.get('text') && trip?.written?.prompt === input.get('prefix'))
  return isReply && trip?.verdict === line.get('verdict')
}
