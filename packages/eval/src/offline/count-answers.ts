import { identifyReply } from '@callspec/core/identify'

/** How many rows have which answer: ids of formats that read them alike, the most frequent first; and how many no answer. */
export interface AnswerCounts {
  readonly answers: readonly { readonly formats: readonly string[]; readonly rows: number }[]
  /** Rows in which no format finds a call. */
  readonly withoutCall: number
}

/** Counts the formats of texts. */
export interface CountingAnswers {
  readonly add: (text: string) => void
  /** How many texts were looked at. */
  readonly counted: () => number
  readonly result: () => AnswerCounts
}

/** No texts yet. */
export function countAnswers(): CountingAnswers {
  const rows = new Map<string, { readonly formats: readonly string[]; rows: number }>()
  let [counted, withoutCall] = [0, 0]
  return {
    add: (text) => {
      counted += 1
      const { formats } = identifyReply(text)
      const key = formats.join(' ')
      const known = rows.get(key)
      if (formats.length === 0) withoutCall += 1
      else if (known === undefined) rows.set(key, { formats, rows: 1 })
      else known.rows += 1
    },
    counted: () => counted,
    result: () => ({ answers: [...rows.values()].toSorted((one, other) => other.rows - one.rows), withoutCall }),
  }
}
