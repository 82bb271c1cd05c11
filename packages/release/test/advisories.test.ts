import { expect, it } from 'vitest'
import { readAudit } from '../src/advisories.ts'

it('names each advisory with its package, its weight and its page', () => {
  const advisory = {
    module_name: 'undici',
    severity: 'high',
    title: 'Requests are split',
    url: 'https://example.com/1',
  }

  expect(readAudit(JSON.stringify({ advisories: { 1: advisory }, metadata: {} }))).toEqual({
    kind: 'asked',
    advisories: ['undici: high: Requests are split https://example.com/1'],
  })
  expect(readAudit('{"advisories": {}}')).toEqual({ kind: 'asked', advisories: [] })
})

it('says why nothing was asked where no registry answers', () => {
  const refused =
    '{"error": {"code": "ERR_PNPM_AUDIT_BAD_RESPONSE", "message": "The audit endpoint responded with 405"}}'

  expect(readAudit(refused)).toEqual({ kind: 'not-asked', reason: 'The audit endpoint responded with 405' })
  expect(readAudit('')).toEqual({ kind: 'not-asked', reason: 'pnpm audit printed no JSON' })
})
