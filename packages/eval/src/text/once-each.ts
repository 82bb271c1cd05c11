/** The same function, which remembers its last answer: of one reply the same is asked several times in a row. */
export function onceEach<T>(read: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly answer: T } | null = null
  return (text) => {
    if (last?.text !== text) last = { text, answer: read(text) }
    return last.answer
  }
}
