import { foldEvents } from '@callspec/core'
import type { Format, ReadOptions, Reply, ReplyEvent } from '@callspec/core'

/** An event, and how much of the reply had arrived when it was told. */
export interface ToldEvent {
  readonly event: ReplyEvent
  /** UTF-16 units; null where it was told at the end. */
  readonly told: number | null
}

/** A reply is read in no more than so many steps. */
const MOST_STEPS = 200_000

/** How many units of a reply are read at a time: one, unless it is very long. */
export function stepOf(text: string): number {
  return Math.max(1, Math.ceil(text.length / MOST_STEPS))
}

/** Reads a reply unit by unit and notes when what is told. Linear. */
export function toldEvents(format: Format, text: string, options: ReadOptions): readonly ToldEvent[] {
  const reader = format.createReader(options)
  const all: ToldEvent[] = []
  const step = stepOf(text)
  for (let at = 0; at < text.length; at += step)
    for (const event of reader.push(text.slice(at, at + step)))
      all.push({ event, told: Math.min(at + step, text.length) })
  for (const event of reader.end()) all.push({ event, told: null })
  return all
}

/** The reply of its events. */
export function replyOfTold(told: readonly ToldEvent[]): Reply {
  const fold = foldEvents()
  fold.take(told.map(({ event }) => event))
  return fold.reply()
}
