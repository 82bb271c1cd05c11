import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { PLAYGROUND_PAGE, servedPage } from '../src/index.ts'

const html = readFileSync(PLAYGROUND_PAGE, 'utf8')

it('the page is one file of at most 310 kB, gzipped', () => {
  expect(gzipSync(html, { level: 9 }).length).toBeLessThanOrEqual(310_000)
})

function policyIn(page: string): string {
  const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page) ?? []
  return policy.replace(/'sha256-[\w+/]+=*'/, 'HASH')
}

it('its policy allows its own script by hash, its style, its worker, and nothing else', () => {
  expect(policyIn(html)).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; script-src HASH; worker-src blob:; base-uri 'none'; form-action 'none'",
  )
})

it('is served with a policy that lets it connect, and is the same otherwise', () => {
  const served = servedPage(html)

  expect(policyIn(served)).toBe(
    "default-src 'none'; connect-src https: http://127.0.0.1:* http://localhost:*; style-src 'unsafe-inline'; " +
      "script-src HASH; worker-src blob:; base-uri 'none'; form-action 'none'",
  )
  expect(served.replace(/ connect-src [^;]*;/, () => '').replace('<html data-connects ', () => '<html ')).toBe(html)
})

it('it asks for nothing by itself: no address but its own parts, and one place that fetches', () => {
  const [, script = ''] = /<script>([^]*)<\/script>/.exec(html) ?? []

  expect(html.replace(script, () => '').match(/<(?:link|img|iframe|script|form|a)\b[^>]*/g)).toEqual([
    // What engines answered is data, which no browser runs.
    '<script type="application/json" id="engine-records"',
    '<script type="application/json" id="engine-advice"',
    '<script',
  ])
  expect(script.match(/\bfetch\(/g)).toHaveLength(1)
  expect(script).not.toMatch(
    /XMLHttpRequest|WebSocket|sendBeacon|EventSource|importScripts|innerHTML|insertAdjacentHTML|document\.write\b/,
  )
})
