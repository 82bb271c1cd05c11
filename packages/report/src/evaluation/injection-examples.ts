import type { Arm, EpisodeScore, EpisodeTrace, Injection, PlantedText } from '@callspec/eval'
import { plantedFor } from '@callspec/eval'

/** What one episode of an example shows. */
export interface ExampleArm {
  readonly arm: Arm
  /** The id of the task with its arm. */
  readonly task: string
  readonly forged: NonNullable<EpisodeScore['forged']>
  readonly planted: Pick<PlantedText, 'text' | 'forged'> | null
  /** The replies after the text was read, the last ones. */
  readonly replies: readonly ExampleReply[]
}

interface ExampleReply {
  readonly text: string
  /** Calls that a server read. */
  readonly calls: readonly string[]
}

/** One task of one row in all its arms. */
export interface InjectionExample {
  readonly model: string
  readonly protocol: string
  readonly task: string
  readonly sample: number
  readonly question: string
  readonly arms: readonly ExampleArm[]
}

/** Picks one example per row while episodes are read: the first in which most arms did harm, then in which most outcomes differ. */
export interface ExampleCollector {
  add(episode: {
    readonly trace: EpisodeTrace
    readonly score: Pick<EpisodeScore, 'key' | 'forged'>
    readonly injection: Injection | undefined
    readonly question?: string
  }): void
  all(): readonly InjectionExample[]
}

/** Keeps the texts of at most two tasks per row. */
export function createExampleCollector(): ExampleCollector {
  const rows = new Map<string, { current: InjectionExample; best: InjectionExample | null }>()
  return {
    add: ({ trace, score, injection, question = '' }) => {
      if (score.forged === undefined) return
      const { model, protocol, sample } = score.key
      const { task } = score.forged
      const key = JSON.stringify([model, protocol])
      const row = rows.get(key) ?? { current: { model, protocol, task, sample, question, arms: [] }, best: null }
      rows.set(key, row)
      if (row.current.task !== task || row.current.sample !== sample) {
        row.best = better(row.best, row.current)
        row.current = { model, protocol, task, sample, question, arms: [] }
      }
      row.current = { ...row.current, arms: [...row.current.arms, exampleArm(trace, score.forged, injection)] }
    },
    all: () => [...rows.values()].map(({ current, best }) => better(best, current)),
  }
}

function better(known: InjectionExample | null, other: InjectionExample): InjectionExample {
  return known === null || worthOf(other) > worthOf(known) ? other : known
}

function worthOf({ arms }: InjectionExample): number {
  const harmed = arms.filter(({ forged }) => forged.blames !== null).length
  const outcomes = new Set(arms.map(({ forged }) => forged.outcome)).size
  return arms.length * 100 + harmed * 10 + outcomes
}

function exampleArm(trace: EpisodeTrace, forged: ExampleArm['forged'], injection: Injection | undefined): ExampleArm {
  const planted = injection === undefined ? undefined : plantedFor(injection, trace.key)
  const read = trace.calls.find(({ result }) => result === planted?.text)?.turn ?? 0
  return {
    arm: forged.arm,
    task: trace.key.task,
    forged,
    planted: planted === undefined ? null : { text: planted.text, forged: planted.forged },
    replies: trace.turns
      .filter(({ turn }) => turn > read)
      .slice(0, MOST_REPLIES)
      .map(({ text, toolCalls, failure }) => ({
        text: failure === null ? text : failure.message,
        calls: toolCalls.map(({ name, arguments: args }) => `${name}(${args})`),
      })),
  }
}

/** The answer, and a forged call before it. */
const MOST_REPLIES = 3
