/** The reporters that write a file. */
export const FILE_REPORTERS = ['json', 'jsonl', 'junit', 'md', 'csv'] as const

/** Every reporter; `table` prints. */
export const REPORTERS = ['table', ...FILE_REPORTERS] as const

/** One of `REPORTERS`. */
export type Reporter = (typeof REPORTERS)[number]
/** One of `FILE_REPORTERS`. */
export type FileReporter = (typeof FILE_REPORTERS)[number]
