import type { Implementation, Reply } from '../implementation.ts'

/**
 * Several instances of one implementation as one: a question goes to one that has nothing to do. Further instances are
 * opened when they are first needed, at most `size` in all.
 */
export function poolOf(first: Implementation, size: number, open: () => Promise<Implementation>): Implementation {
  if (size <= 1) return first
  const all: Implementation[] = [first]
  const idle: Implementation[] = [first]
  const waiting: ((free: Implementation) => void)[] = []
  let opening = 0
  const acquire = async (): Promise<Implementation> => {
    const free = idle.pop()
    if (free !== undefined) return free
    if (all.length + opening >= size) return new Promise((settle) => waiting.push(settle))
    opening += 1
    try {
      const opened = await open()
      all.push(opened)
      return opened
    } finally {
      opening -= 1
    }
  }
  const release = (implementation: Implementation): void => {
    const next = waiting.shift()
    if (next === undefined) idle.push(implementation)
    else next(implementation)
  }
  return {
    about: first.about,
    answer: async (question): Promise<Reply> => {
      const implementation = await acquire()
      try {
        return await implementation.answer(question)
      } finally {
        release(implementation)
      }
    },
    close: async () => {
      await Promise.all(all.map((each) => each.close?.()))
    },
  }
}
