import type { Implementation, Reply } from '../implementation.ts'

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
