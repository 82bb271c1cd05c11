/** Said to a thread that searches: the batch under way ends, and what it has seen so far is sent back. */
export const STOP = 'stop'
