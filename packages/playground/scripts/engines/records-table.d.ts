import type { EngineAnswer, EngineRecords, Reason, RecordedEngine, Setting } from '../../src/engines/engine-records.ts'

/** A text, and how it is asked. */
export interface AskedText {
  readonly format: string
  readonly text: string
  readonly setting: Setting
}

/** Collects what engines answered, each thing once. */
export interface Records {
  readonly alike: (engine: RecordedEngine, question: AskedText) => void
  readonly otherwise: (
    engine: RecordedEngine,
    question: AskedText,
    said: { readonly reason: Reason | null; readonly answer: EngineAnswer | null },
  ) => void
  readonly data: () => EngineRecords
}

/** Records without anything in them. */
export declare function createRecords(): Records
