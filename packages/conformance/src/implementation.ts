import type { ReferenceError } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/python'
import type { Declaration } from './protocol/declaration.ts'
import type { TextRange } from './provenance.ts'

/** A case without its answer, as an implementation receives it. */
export interface Question {
  readonly id: string
  readonly op: string
  /** The prompt format that it is about, such as `nous`. Absent where an operation has none. */
  readonly format?: string
  readonly profile: string
  readonly input: PyDict
  /** Stretches of its text in which markers are no tokens of the model. */
  readonly plain?: readonly TextRange[]
}

/** The result of giving one case to an implementation. */
export type Reply =
  | ({ readonly kind: 'returned'; readonly value: PyValue } & Remarks)
  /** It refuses the input, or raised what the reference would call an error: an answer like any other. */
  | ({ readonly kind: 'raised'; readonly error: ReferenceError } & Remarks)
  /** It failed to answer. */
  | { readonly kind: 'errored'; readonly reason: string; readonly raw?: string }
  /** It does not support the case. */
  | { readonly kind: 'skipped'; readonly reason: string }

/** Remarks on an answer. */
export interface Remarks {
  /** For people, such as what could not be verified. */
  readonly notes?: readonly string[]
  /** Why a wrong answer would say nothing about the implementation: it is then no failure, but an error. */
  readonly doubt?: string
  /** The beginning of what a program or server sent, before it was read: at most `MAX_RAW` characters. */
  readonly raw?: string
}

/** Reports show this many characters of what a program or server sent. */
export const MAX_RAW = 200

/** Something that answers cases: our own functions, a process, a server. */
export interface Implementation {
  /** Its name, and what it declares to answer. Only such questions are sent. */
  readonly about: Declaration
  /** Never throws because of the question; an exception means that the machinery is broken. */
  answer(question: Question): Reply | Promise<Reply>
  /** Remarks on all its answers together, one line each, after the last one. */
  remarks?(): readonly string[]
  /** Why it is unavailable; null while it answers. */
  gone?(): string | null
  /** Ends processes and connections. */
  close?(): Promise<void>
}

/** One of several instances, perhaps still being opened, and how many questions it has. */
interface Member {
  readonly implementation: Promise<Implementation>
  questions: number
}

/**
 * Several instances of one implementation as one: a question goes to the one that has the fewest. Further instances are
 * opened when all have something to do, at most `size` in all.
 */
export function poolOf(first: Implementation, size: number, open: () => Promise<Implementation>): Implementation {
  const members: Member[] = [{ implementation: Promise.resolve(first), questions: 0 }]
  const reserve = (): Member => {
    const leastBusy = members.reduce((best, each) => (each.questions < best.questions ? each : best))
    if (leastBusy.questions === 0 || members.length >= size) return leastBusy
    const member = { implementation: open(), questions: 0 }
    members.push(member)
    return member
  }
  return {
    about: first.about,
    answer: async (question): Promise<Reply> => {
      const member = reserve()
      member.questions += 1
      try {
        return await (await member.implementation).answer(question)
      } finally {
        member.questions -= 1
      }
    },
    close: async () => {
      const opened = await Promise.allSettled(members.map(({ implementation }) => implementation))
      const instances = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      await Promise.all(instances.map(async (each) => each.close?.()))
    },
  }
}
