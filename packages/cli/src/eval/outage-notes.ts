import type { RunEvent } from '@callspec/eval'
import type { Output } from '../output.ts'
import { inert } from '../terminal.ts'
import { timeText } from './time-text.ts'

/** What is told of a server that is gone. */
type OutageEvent = Extract<RunEvent, { readonly type: 'outage' }>

/** Says once that a server is gone and once that it is back; in between, progress shows for how long it is waited for. */
export function createOutageNotes(output: Output): (event: OutageEvent) => void {
  const away = new Set<string>()
  return ({ baseUrl, outage }) => {
    const { state, failure, waitedMs, patienceMs } = outage
    const most = `at most ${timeText(patienceMs)}`
    if (state === 'waiting' && patienceMs > 0) {
      if (away.has(baseUrl)) output.progress(inert(`waiting for ${baseUrl} for ${timeText(waitedMs)}, ${most}`))
      else output.note(`callspec: ${baseUrl} went away: ${failure.message} Waiting for it, ${most}.`)
      away.add(baseUrl)
    } else if (away.delete(baseUrl) && state === 'over') {
      output.note(`callspec: ${baseUrl} answers again, after ${timeText(waitedMs)}`)
    }
  }
}
