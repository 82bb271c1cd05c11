import { pyLength, pySlice, Raise, repr } from '@callspec/python'
import { intArgument } from '../methods/arguments.ts'
import { countIn } from '../methods/text-places.ts'
import { make } from '../runtime/run.ts'
import { itemsOf } from '../values/iterate.ts'
import { escape } from '../values/markup.ts'
import { str } from '../values/text.ts'
import { truthy } from '../values/truth.ts'
import type { Run, Value } from '../values/value.ts'

/** `urlize`: addresses in a text become links. */
export function urlize(run: Run, ...values: Value[]): Value {
  const [value = '', limit = null, nofollow = false, target = null, rel = null, schemes = null] = values
  const rels = new Set(
    truthy(rel)
      ? str(rel, run)
          .split(/\s+/)
          .filter((part) => part !== '')
      : [],
  )
  if (truthy(nofollow)) rels.add('nofollow')
  rels.add('noopener')
  const extra = schemes === null ? [] : itemsOf(schemes, run).map((scheme) => checkedScheme(str(scheme, run)))
  const attributes =
    ` rel="${escape([...rels].toSorted().join(' '), run)}"` + (truthy(target) ? ` target="${escape(target, run)}"` : '')
  const rules = { limit: limit === null ? null : intArgument(limit), attributes, schemes: extra }
  const text = escape(value, run)
  make(run, 8 * text.length)
  const linked = text
    .split(/(\s+)/)
    .map((word) => linkedWord(word, rules))
    .join('')
  make(run, linked.length)
  return run.autoescape ? { kind: 'markup', text: linked } : linked
}

function checkedScheme(scheme: string): string {
  if (/^[\p{L}\p{N}_.+-]{2,}:\/{0,2}$/u.test(scheme)) return scheme
  throw new Raise('FilterArgumentError', `${repr(scheme)} is not a valid URI scheme prefix.`)
}

interface Rules {
  readonly limit: number | null
  readonly attributes: string
  readonly schemes: readonly string[]
}

const ADDRESS =
  /^(?:(?:https?:\/\/|www\.)(?:(?:[\w%-]+\.)+)?(?:[a-z]{2,63}|xn--[\w%]{2,59})|(?:[\w%-]{2,63}\.)+(?:com|net|int|edu|gov|org|info|mil)|https?:\/\/(?:\d{1,3}(?:\.\d{1,3}){3}|\[(?:[\da-f]{0,4}:){2}(?:[\da-f]{0,4}:?){1,6}\]))(?::\d{1,5})?(?:[/?#]\S*)?$/i
const MAIL = /^\S+@\w[\w.-]*\.\w+$/

/** Longer words are no addresses; the patterns look back in them, which must stay cheap. */
const MAX_WORD = 2048

function linkedWord(word: string, rules: Rules): string {
  if (word.length > MAX_WORD) return word
  const head = /^(?:[(<]|&lt;)+/.exec(word)?.[0] ?? ''
  const rest = word.slice(head.length)
  const end = /(?:[)>.,\n]|&gt;)+$/.exec(rest)?.[0] ?? ''
  const { middle, tail } = balanced(rest.slice(0, rest.length - end.length), end)
  return head + link(middle, rules) + tail
}

/** A closing bracket whose opening one stands in the address belongs to it. */
function balanced(start: string, end: string): { readonly middle: string; readonly tail: string } {
  let [middle, tail] = [start, end]
  for (const [open, close] of [
    ['(', ')'],
    ['<', '>'],
    ['&lt;', '&gt;'],
  ] as const) {
    const opened = countIn(middle, open)
    if (opened <= countIn(middle, close)) continue
    for (let left = Math.min(opened, countIn(tail, close)); left > 0; left--) {
      const to = tail.indexOf(close) + close.length
      middle += tail.slice(0, to)
      tail = tail.slice(to)
    }
  }
  return { middle, tail }
}

function link(address: string, { limit, attributes, schemes }: Rules): string {
  const shown = limit !== null && pyLength(address) > limit ? `${pySlice(address, 0, limit)}...` : address
  if (ADDRESS.test(address)) {
    const isWhole = address.startsWith('https://') || address.startsWith('http://')
    return `<a href="${isWhole ? '' : 'https://'}${address}"${attributes}>${shown}</a>`
  }
  if (address.startsWith('mailto:') && MAIL.test(address.slice(7))) {
    return `<a href="${address}">${address.slice(7)}</a>`
  }
  const isMail = address.includes('@') && !/^(?:www\.|@)/.test(address) && !address.includes(':') && MAIL.test(address)
  if (isMail) return `<a href="mailto:${address}">${address}</a>`
  const scheme = schemes.find((known) => address !== known && address.startsWith(known))
  return scheme === undefined ? address : `<a href="${address}"${attributes}>${address}</a>`
}
