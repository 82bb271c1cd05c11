/**
 * Laws that the readers of some formats do not hold, by format. A reply of these formats is calls or prose as a whole, and its
 * calls are one JSON value: the laws know neither.
 *
 * - `content-conservation` looks for name and arguments apart, with nothing between them that is no marker.
 * - `index-identity`, `value-typing`, `think-isolation`, `no-marker-leak`: prose beside a call makes the whole reply prose.
 * - `empty-arguments`: an element without arguments makes the body text, and no issue says so yet.
 */
export const OPEN_LAWS: ReadonlyMap<string, readonly string[]> = new Map([
  ['mistral-v3', ['content-conservation']],
  ['command-r7b', ['content-conservation']],
  ['llama3-json', ['content-conservation', 'index-identity', 'value-typing', 'empty-arguments', 'no-marker-leak']],
  [
    'granite-3',
    ['content-conservation', 'index-identity', 'value-typing', 'empty-arguments', 'think-isolation', 'no-marker-leak'],
  ],
  ['phi-4-mini', ['content-conservation', 'index-identity', 'value-typing', 'empty-arguments', 'no-marker-leak']],
])
