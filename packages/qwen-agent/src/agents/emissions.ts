import type { Emissions } from '../loop.ts'
import type { Message } from '@callspec/core/qwen-agent'

/** The beginnings of `messages` of every length from `shortest` to all of them, made when they are asked for. */
export function beginningsOf(messages: readonly Message[], shortest: number): Emissions {
  return {
    *[Symbol.iterator]() {
      for (let length = shortest; length <= messages.length; length += 1) yield messages.slice(0, length)
    },
  }
}

/** The one after the other. */
export function followedBy(first: Emissions, second: Emissions): Emissions {
  return {
    *[Symbol.iterator]() {
      yield* first
      yield* second
    },
  }
}
