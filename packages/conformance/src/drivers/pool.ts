import type { Implementation, Reply } from '../implementation.ts'

/** One of several instances, and how many questions it has. */
interface Member {
  readonly implementation: Implementation
  questions: number
}

/**
 * Several instances of one implementation as one: a question goes to the one that has the fewest. Further instances are
 * opened when all have something to do, at most `size` in all.
 */
export function poolOf(first: Implementation, size: number, open: () => Promise<Implementation>): Implementation {
  const members: Member[] = [{ implementation: first, questions: 0 }]
  let opening = 0
  const leastBusy = (): Member => members.reduce((best, each) => (each.questions < best.questions ? each : best))
  /** Counts the question at once: the next one may be asked before this one is under way. */
  const reserve = async (): Promise<Member> => {
    const member = leastBusy()
    if (member.questions === 0 || members.length + opening >= size) {
      member.questions += 1
      return member
    }
    opening += 1
    try {
      const opened = { implementation: await open(), questions: 1 }
      members.push(opened)
      return opened
    } finally {
      opening -= 1
    }
  }
  return {
    about: first.about,
    answer: async (question): Promise<Reply> => {
      const member = await reserve()
      try {
        return await member.implementation.answer(question)
      } finally {
        member.questions -= 1
      }
    },
    close: async () => {
      await Promise.all(members.map(({ implementation }) => implementation.close?.()))
    },
  }
}
