import { hash } from 'node:crypto'

import { InputError } from '@callspec/core'

import type { OnUnusable } from './case-file.ts'
import type { Case } from './case.ts'

/** Leaves out cases whose id an earlier one has; `leaveOut` is told of them. A few bytes per case are kept. */
export async function* distinctCases(cases: AsyncIterable<Case>, leaveOut: OnUnusable): AsyncGenerator<Case> {
  const seen = new Set<number>()
  for await (const item of cases) {
    const key = fingerprint(item.id)
    if (seen.has(key)) leaveOut(new InputError(item.where, `uses the id "${item.id}" a second time.`))
    else {
      seen.add(key)
      yield item
    }
  }
}

/** 48 bits: among a million ids, two that are taken for one are as likely as 1 to 500. */
function fingerprint(id: string): number {
  return Number.parseInt(hash('sha256', Buffer.from(id, 'utf16le'), 'hex').slice(0, 12), 16)
}
