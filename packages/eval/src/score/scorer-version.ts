/** The scorer's version: it changes whenever the same trace may get another label. */
export const SCORER_VERSION = '2'
