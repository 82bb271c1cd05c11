import type { EngineRecords } from '../../src/engines/engine-records.ts'

/** What engines answered to which texts. */
export declare function engineRecords(): Promise<EngineRecords>
