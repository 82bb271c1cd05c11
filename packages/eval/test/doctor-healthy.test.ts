import { afterEach, describe, expect, it } from 'vitest'
import { isHealthy } from '../src/doctor/doctor.ts'
import type { Finding } from '../src/doctor/finding.ts'
import { asksForNous, closeSick, ills, report, SILENT } from './helpers/examine-sick.ts'
import { CALL, PROSE, REACT } from './helpers/sick-server.ts'
import type { Illness } from './helpers/sick-server.ts'

afterEach(closeSick)

describe('the doctor', () => {
  it.each([
    ['has no text completions', { refuses: ['completions'] }, { 'raw-completions': 'warn' }],
    [
      'refuses tool_choice, behind a model that makes no call',
      { refuses: ['tool_choice'], text: SILENT },
      {
        ...{ 'native-calls': 'unknown', 'call-arguments': 'unknown', 'call-ids': 'unknown', 'call-prose': 'unknown' },
      },
    ],
    [
      'serves a model that calls only when forced',
      { text: SILENT },
      { 'native-calls': 'unknown', 'call-prose': 'unknown' },
    ],
    [
      'refuses tools',
      { refuses: ['tools'] },
      {
        ...{ 'native-calls': 'warn', 'call-arguments': 'unknown', 'call-ids': 'unknown', 'call-prose': 'unknown' },
      },
    ],
    [
      'has no seeds',
      { text: ({ temperature }, requests) => ((temperature ?? 1) > 0 ? `${REACT}Try ${requests}.` : undefined) },
      { seed: 'warn' },
    ],
    [
      'answers nothing twice alike',
      { text: (body, requests) => (asksForNous(body) ? undefined : `Reply ${requests}.${REACT}`) },
      { seed: 'warn', stream: 'unknown', 'stop-words': 'unknown' },
    ],
    ['gives the thought apart', { reasoning: 'Let me think. '.repeat(5) }, {}],
    [
      'serves a model that says nothing before a call',
      { text: (body) => (asksForNous(body) ? CALL : undefined) },
      { 'call-prose': 'unknown' },
    ],
    [
      'serves a model that says something only where the prompt is ours',
      { text: (body) => (body.tools === undefined ? undefined : CALL) },
      { 'call-prose': 'unknown' },
    ],
    [
      'serves a model that says the same in a bare text, and thinks before',
      {
        reasoning: 'I compute 17*23, with the calculator, as I was told.',
        text: (body) => (body.tools === undefined ? undefined : CALL),
      },
      { 'call-prose': 'unknown' },
    ],
    [
      'serves a model that writes broken calls',
      {
        refuses: ['tool_choice', 'completions'],
        finish: 'stop',
        text: (body) => (asksForNous(body) ? CALL.replace('}}', '') : undefined),
      },
      {
        ...{ 'raw-completions': 'warn', 'native-calls': 'unknown', 'call-arguments': 'unknown' },
        ...{ 'call-ids': 'unknown', 'call-prose': 'unknown' },
      },
    ],
    [
      'serves a model that makes another call where the prompt is ours',
      { text: (body) => (body.tools === undefined ? undefined : CALL.replace('17*23', `17*23${' '.repeat(80)}`)) },
      { 'call-prose': 'unknown' },
    ],
    [
      'says something before a call now and then',
      {
        refuses: ['completions'],
        text: (body, requests) => {
          if (!asksForNous(body)) return `Reply ${requests}.${REACT}`
          return body.stream === true ? CALL : `${PROSE}\n${CALL}`
        },
      },
      {
        ...{ seed: 'warn', stream: 'unknown', 'stop-words': 'unknown', 'call-prose': 'unknown' },
        ...{ 'raw-completions': 'warn' },
      },
    ],
    [
      'goes on with a bare prompt in words of its own, and ends',
      {
        text: ({ prompt, ...body }) =>
          prompt === undefined || asksForNous({ prompt, ...body }) ? undefined : 'It is 391.',
      },
      {},
    ],
    [
      'is still thinking behind a bare prompt when its tokens are used up',
      {
        text: ({ prompt, ...body }) =>
          prompt === undefined || asksForNous({ prompt, ...body }) ? undefined : `<think>${'Let me see. '.repeat(100)}`,
      },
      { 'raw-completions': 'unknown' },
    ],
    [
      'serves a model that writes no word to stop at',
      {
        text: ({ prompt, ...body }) =>
          prompt !== undefined || asksForNous(body) ? undefined : '17 * 23; 391 = 17 * 23',
      },
      { seed: 'warn' },
    ],
    [
      'hides the thought that the tokens went into',
      { text: () => '', reasoning: ' '.repeat(100), finish: 'length' },
      {
        ...{
          chat: 'warn',
          'stop-words': 'unknown',
          seed: 'warn',
          'raw-completions': 'warn',
          'call-markers': 'unknown',
        },
        ...{ 'native-calls': 'unknown', 'call-arguments': 'unknown', 'call-ids': 'unknown', 'call-prose': 'unknown' },
      },
    ],
    [
      'serves a model that thinks of a call in its text, and makes none',
      {
        habits: ['leaves-calls'],
        text: (body) => (asksForNous(body) ? `<think>${CALL}?</think>It is 391.` : undefined),
        finish: 'stop',
      },
      {
        ...{ 'native-calls': 'warn', 'call-arguments': 'unknown', 'call-ids': 'unknown', 'call-prose': 'unknown' },
      },
    ],
  ] satisfies readonly (readonly [string, Illness, Readonly<Record<string, Finding['verdict']>>])[])(
    'raises no false alarm where a server %s',
    async (_, illness, expected) => {
      const found = await report(illness)

      expect(ills(found)).toEqual(expected)
      expect(isHealthy(found)).toBe(true)
    },
  )
})
