/** The special tokens. Everything else is text, also the words of a head. */
export const START = '<|start|>'
export const CHANNEL = '<|channel|>'
export const CONSTRAIN = '<|constrain|>'
export const MESSAGE = '<|message|>'
export const END = '<|end|>'
/** Ends a call, and the turn. */
export const CALL = '<|call|>'
/** Ends a reply. */
export const RETURN = '<|return|>'

/** The prefix of the recipients that are functions of the request. */
export const FUNCTIONS = 'functions.'
