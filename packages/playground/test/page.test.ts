import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { PLAYGROUND_PAGE } from '../src/index.ts'

const html = readFileSync(PLAYGROUND_PAGE, 'utf8')

it('the page is one file of at most 300 kB, gzipped', () => {
  expect(gzipSync(html, { level: 9 }).length).toBeLessThanOrEqual(300_000)
})

it('its policy allows its own script by hash, its style, its worker, and nothing else', () => {
  const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html) ?? []

  expect(policy.replace(/'sha256-[\w+/]+=*'/, 'HASH')).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; script-src HASH; worker-src blob:; base-uri 'none'; form-action 'none'",
  )
})

it('it asks for nothing: no address but its own parts, no way to fetch', () => {
  const [, script = ''] = /<script>([^]*)<\/script>/.exec(html) ?? []

  expect(html.replace(script, () => '').match(/<(?:link|img|iframe|script|form|a)\b[^>]*/g)).toEqual([
    // What engines answered is data, which no browser runs.
    '<script type="application/json" id="engine-records"',
    '<script',
  ])
  expect(script).not.toMatch(
    /\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|EventSource|importScripts|innerHTML|insertAdjacentHTML|document\.write\b/,
  )
})
