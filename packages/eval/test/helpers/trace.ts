import type { CallLine, EndLine, EpisodeKey, TurnLine } from '../../src/trace/trace.ts'

/** An episode of the built-in suite. */
export const KEY: EpisodeKey = { model: 'm', protocol: 'fncall-nous', task: 'S01', sample: 0 }

/** A completion; `more` says what is not as usual. */
export function turnLine(text: string, more: Partial<TurnLine> = {}): TurnLine {
  return {
    kind: 'turn',
    ...KEY,
    turn: 0,
    id: 'c',
    text,
    reasoning: '',
    toolCalls: [],
    finishReason: 'stop',
    usage: null,
    failure: null,
    attempts: 1,
    ms: 1,
    cached: false,
    request: '',
    sent: { kept: 0, added: [] },
    warnings: [],
    ...more,
  }
}

/** A call that worked. */
export function callLine(more: Partial<CallLine> = {}): CallLine {
  return { kind: 'call', ...KEY, turn: 0, name: 'clock', arguments: '{}', result: '12:00', isError: false, ...more }
}

/** An end as most are. */
export function endLine(more: Partial<EndLine> = {}): EndLine {
  return { kind: 'end', ...KEY, reason: 'answered', error: null, ...more }
}
