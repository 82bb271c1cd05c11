/** The reporters that write a file. */
export const FILE_REPORTERS = ['json', 'jsonl', 'junit', 'md', 'html', 'csv'] as const

/** Every reporter; `table` prints. */
export const REPORTERS: readonly Reporter[] = ['table', ...FILE_REPORTERS]

/** One of `REPORTERS`. */
export type Reporter = 'table' | FileReporter
/** One of `FILE_REPORTERS`. */
export type FileReporter = (typeof FILE_REPORTERS)[number]
