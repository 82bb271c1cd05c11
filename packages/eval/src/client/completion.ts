/** Tokens that the server counted for one completion. */
export interface Usage {
  readonly prompt: number
  readonly completion: number
  /** How many of `completion` went into thinking; absent where the server does not say. */
  readonly reasoning?: number
}

/** A call in the native form, as the server gave it: the arguments are the text that the model wrote. */
export interface NativeCall {
  /** Empty where the server gives none. */
  readonly id: string
  readonly name: string
  readonly arguments: string
}
