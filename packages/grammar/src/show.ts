import { unreachable } from '@callspec/python'
import type { CompiledGrammar } from './compile.ts'
import type { CodePointRange, Expression } from './expression.ts'

/**
 * The rules of a grammar as text, the root first: EBNF, with `text(…)` for free text, which names the strings that it must not hold and
 * those that begin something else.
 */
export function showGrammar({ rules, ruleNames }: CompiledGrammar): string {
  return ruleNames
    .map((name) => {
      const body = rules.rules.get(name)
      return body ? `${name} ::= ${show(body, 'choice')}\n` : ''
    })
    .join('')
}

type Around = 'choice' | 'sequence' | 'repeat'

function show(expression: Expression, around: Around): string {
  switch (expression.kind) {
    case 'text':
      return quoted(expression.value)
    case 'characters':
      return showRanges(expression.ranges)
    case 'sequence': {
      const text = expression.items
        .map((item) => show(item, 'sequence'))
        .filter((item) => item !== '""')
        .join(' ')
      if (text === '') return '""'
      return around === 'repeat' ? `(${text})` : text
    }
    case 'choice': {
      const text = expression.items.map((item) => show(item, 'choice')).join(' | ')
      return around === 'choice' ? text : `(${text})`
    }
    case 'repeat':
      return show(expression.item, 'repeat') + showCount(expression.min, expression.max)
    case 'rule':
      return expression.name
    case 'free': {
      const parts = [
        ...expression.excludes.map((one) => `without ${quoted(one)}`),
        ...expression.dispatch.map(({ trigger, body }) => `${quoted(trigger)} → ${show(body, 'choice')}`),
        ...(expression.max === null ? [] : [`at most ${expression.max}`]),
        ...(expression.dispatch.length > 0 && !expression.loop ? ['once'] : []),
      ]
      return `text(${parts.join('; ')})`
    }
    default:
      return unreachable(expression)
  }
}

function showCount(min: number, max: number | null): string {
  if (max === null) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  if (min === 0 && max === 1) return '?'
  return min === max ? `{${min}}` : `{${min},${max}}`
}

function quoted(text: string): string {
  return JSON.stringify(text)
}

function showRanges(ranges: readonly CodePointRange[]): string {
  const [first, ...others] = ranges
  if (first?.[0] === 0 && first[1] === 0x10ffff) return '.'
  const last = ranges.at(-1)
  if (last?.[1] === 0x10ffff && first?.[0] === 0) {
    const outside = ranges.slice(1).map(([next], index) => [(ranges[index]?.[1] ?? 0) + 1, next - 1] as const)
    return `[^${outside.map(showRange).join('')}]`
  }
  return `[${first ? [first, ...others].map(showRange).join('') : ''}]`
}

function showRange([first, last]: CodePointRange): string {
  return first === last ? showCode(first) : `${showCode(first)}-${showCode(last)}`
}

function showCode(code: number): string {
  if (code >= 0xd800 && code <= 0xdfff) return `\\u${code.toString(16)}`
  const char = String.fromCodePoint(code)
  if ('\\]-^['.includes(char)) return `\\${char}`
  const named = JSON.stringify(char).slice(1, -1)
  return code === 0x22 ? '"' : code < 0x7f || code > 0xa0 ? named : `\\u${code.toString(16).padStart(4, '0')}`
}
