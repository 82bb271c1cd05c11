import { expect, it } from 'vitest'
import { loadPlan } from '../src/plan/plan-prompt.ts'
import type { PlanDraft } from '../src/plan/plan.ts'
import { newPlan } from '../src/plan/plan.ts'
import { version } from './helpers.ts'
import { shareOf } from '../../tidy/test/share.ts'

function task(id: string, ...dependsOn: readonly string[]): object {
  return { task_id: id, dependent_task_ids: dependsOn, instruction: `do ${id}`, task_type: 'other' }
}

const WAITING = shareOf(130_000)

it('resets 130 000 tasks that wait for one, without running out of stack', () => {
  const waiting = Array.from({ length: WAITING }, (_, at) => task(`t${at}`, 'b'))
  const draft: PlanDraft = { plan: newPlan('g'), version: version('main') }
  loadPlan(draft, JSON.stringify([task('a'), task('b', 'a'), ...waiting]))

  loadPlan(draft, JSON.stringify([task('a')]))

  expect([draft.plan.tasks.length, draft.plan.currentTaskId]).toEqual([WAITING + 2, 'a'])
})
