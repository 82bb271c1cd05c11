import type { BareCall } from './limits.ts'

/** What a stream parser is measured against: the least that finds the calls of well-formed nous text in chunks. */
export interface NaiveStream {
  push(chunk: string): void
  /** The calls that are closed, and how much text there was. */
  end(): { readonly calls: readonly BareCall[]; readonly text: string }
}

/** Looks at each chunk once, holds back the beginning of a tag, keeps a body as pieces until its end, gives no snapshots. */
export function naiveNous(): NaiveStream {
  const calls: BareCall[] = []
  let body: string[] = []
  let text = ''
  let held = ''
  let isInside = false
  return {
    push: (chunk) => {
      let window = held + chunk
      held = ''
      for (;;) {
        const tag = isInside ? '</tool_call>' : '<tool_call>'
        const at = window.indexOf(tag)
        if (at < 0) {
          const open = window.lastIndexOf('<')
          if (open >= 0 && tag.startsWith(window.slice(open))) {
            held = window.slice(open)
            window = window.slice(0, open)
          }
          if (isInside) body.push(window)
          else text += window
          return
        }
        const piece = window.slice(0, at)
        if (isInside) {
          body.push(piece)
          calls.push(JSON.parse(body.join('')) as BareCall)
          body = []
        } else text += piece
        isInside = !isInside
        window = window.slice(at + tag.length)
      }
    },
    end: () => ({ calls, text: text + held }),
  }
}

/** All chunks through the naive scanner. */
export function readNaively(chunks: readonly string[]): unknown {
  const parser = naiveNous()
  for (const chunk of chunks) parser.push(chunk)
  return parser.end()
}
