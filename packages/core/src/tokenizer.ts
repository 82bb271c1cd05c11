/**
 * The reference tokenizer, injected: core counts and cuts with it but does not bring a vocabulary.
 * `@callspec/tokenizer-qwen` is one. Spec §3 says what it does; text is NFC-normalised by `encode`.
 */
export interface Tokenizer {
  encode(text: string): readonly number[]
  /** Bytes of neighbouring ordinary tokens are decoded together, malformed ones become U+FFFD. */
  decode(tokens: readonly number[]): string
  /** The bytes of each token; a special token gives its text. Indices as in `encode(text)`. */
  pieces(text: string): readonly (Uint8Array | { readonly special: string })[]
  count(text: string): number
}
