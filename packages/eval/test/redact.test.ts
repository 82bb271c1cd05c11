import { describe, expect, it } from 'vitest'
import { redact, redactedUrl } from '../src/client/redact.ts'

describe('redacted text', () => {
  it.each([
    ['Incorrect API key provided: sk-proj-abcDEF123_456-x. See', 'Incorrect API key provided: [redacted]. See'],
    ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [redacted]'],
    ['{"authorization": "Bearer abc.def"}', '{"authorization": "Bearer [redacted]"}'],
    ['{"Authorization":"tok_12345"}', '{"Authorization":"[redacted]"}'],
    ['x-api-key: 123456', 'x-api-key: [redacted]'],
    ['proxy-authorization=Basic dXNlcjpwYXNz', 'proxy-authorization=Basic [redacted]'],
    ['see http://me:secret@host:80/v1 and', 'see http://[redacted]@host:80/v1 and'],
    ['see https://token@host/v1', 'see https://[redacted]@host/v1'],
    ['a hf_abcdefghijkl token', 'a [redacted] token'],
  ])('%j holds no secret', (text, clean) => {
    expect(redact(text)).toBe(clean)
    expect(redact(clean)).toBe(clean)
  })

  it.each([
    'write to me@example.org',
    'the task-based approach, desk-sized',
    'https://host/v1?x=1',
    'the bearer of news',
    'no authorization',
    'sk-short',
  ])('%j stays as it is', (text) => {
    expect(redact(text)).toBe(text)
  })

  it('holds none of the given secrets, however often they occur', () => {
    expect(redact('key hunter2, hunter2!', ['hunter2', ''])).toBe('key [redacted], [redacted]!')
  })

  it('keeps what is too short to be a secret', () => {
    expect(redact('The key is EMPTY or abc.', ['abc', 'EMPTY'])).toBe('The key is EMPTY or abc.')
  })

  it('takes time in proportion to the text', () => {
    const hostile = `${'http://'.repeat(20_000)}${'a:'.repeat(20_000)}${'bearer '.repeat(20_000)}`

    expect(redact(hostile).length).toBeGreaterThan(0)
  })
})

it.each([
  ['http://me:secret@host:8000/v1/', 'http://host:8000/v1/'],
  ['https://host/v1?key=secret', 'https://host/v1?[redacted]'],
  ['http://host/v1', 'http://host/v1'],
  ['not an address', 'not an address'],
])('the address %j is written down as %j', (url, clean) => {
  expect(redactedUrl(url)).toBe(clean)
})
