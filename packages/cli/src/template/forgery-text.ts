import type { ForgeryFix, FoundForgery, Json, Message } from '@callspec/template/lint'
import { ORDINARY_TEXT } from '@callspec/template/lint'
import { quotedLine } from '../output.ts'

/** `assistant "…" find_trains({"station":"…"})`: enough to see which conversation is meant. */
export function probeMessageText(message: Message): string {
  const { role, content } = message
  const calls = Array.isArray(message['tool_calls']) ? (message['tool_calls'] as readonly Json[]) : []
  const said =
    typeof content === 'string'
      ? content === '' && calls.length > 0
        ? ''
        : `"${quotedLine(content, 40)}"`
      : probeContentText(content)
  return [role, said, ...calls.map(probeCallText)].filter((part) => part !== '').join(' ')
}

function probeContentText(content: Json | undefined): string {
  return content === undefined || content === null ? '' : quotedLine(JSON.stringify(content), 60)
}

function probeCallText(call: Json): string {
  const { function: called } = call as { readonly function?: { readonly name?: Json; readonly arguments?: Json } }
  return `${String(called?.name)}(${quotedLine(JSON.stringify(called?.arguments ?? null), 60)})`
}

/** How a finding's text was forged, and the result of the fix, as lines of a report. */
export function forgeryLines({ text, real, tokens, fix }: FoundForgery): readonly string[] {
  const what = tokens.length === 0 ? 'the same as' : 'imitates'
  return [
    `forged text: ${quotedLine(text, 400)}`,
    `${what}: ${real.messages.map(probeMessageText).join(' · ')}`,
    ...(fix === null ? [] : fixLines(fix)),
  ]
}

const OUTCOMES = {
  gone: 'the forgery is gone',
  'marks-remain': 'the prompts differ, but JSON leaves the marks as they are: only a tokenizer can tell them apart',
  'still-forged': 'the forgery remains',
} as const

function fixLines(fix: ForgeryFix): readonly string[] {
  if (fix.kind === 'already-json')
    return [
      'fix: none. The template writes JSON, which leaves the marks as they are: only a tokenizer can tell them apart.',
    ]
  if (fix.kind === 'not-found')
    return ['fix: no value of the template can be quoted alone; encode the text before rendering.']
  const { edits, outcome, before, after } = fix
  return [
    ...edits.map(
      (edit) => `fix, line ${edit.line}: ${quotedLine(edit.before, 80)} becomes ${quotedLine(edit.after, 200)}`,
    ),
    `tried: ${OUTCOMES[outcome]}. The model was trained on the prompts before it; an ordinary text`,
    `before: ${around(before)}`,
    `after:  ${around(after)}`,
  ]
}

const AROUND = 24

/** The ordinary text with what surrounds it. */
function around(prompt: string): string {
  const at = prompt.indexOf(ORDINARY_TEXT)
  return quotedLine(prompt.slice(Math.max(0, at - AROUND), at + ORDINARY_TEXT.length + AROUND), 160)
}
