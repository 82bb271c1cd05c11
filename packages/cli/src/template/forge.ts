import type { AttackName, Forgery } from '@callspec/template/lint'
import { ATTACKS, forgeRenderer, forgeTemplate, variablesOf } from '@callspec/template/lint'
import { fromPlain, isDict } from '@callspec/python'
import type { TemplateSource } from '@callspec/template/source'
import { createRenderer } from '@callspec/template/source'
import { wrapHanging } from '../columns.ts'
import type { ExitCode, Invocation, Options } from '../command.ts'
import { EXIT } from '../command.ts'
import type { Output, Style } from '../output.ts'
import { inert, quotedLine } from '../output.ts'
import { sourcesProgress } from '../request-progress.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import { probeMessageText } from './forgery-text.ts'
import { isSourceError, openCompiledSource } from './source.ts'

/** The attacks on one source. */
export interface ForgedSource {
  readonly name: string
  readonly attacks: readonly Forgery[]
}

export async function runForge(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  if (positionals.length === 0)
    throw new UsageError(
      'callspec template forge needs a SOURCE: a .jinja file, a tokenizer_config.json, a .gguf, a URL.',
    )
  const names = attacksFrom(options)
  const forged: ForgedSource[] = []
  let unreadable = 0
  const progress = sourcesProgress(output, positionals)
  for (const [index, path] of positionals.entries()) {
    progress.step(index)
    try {
      forged.push(await forgeSource(await openCompiledSource(path, invocation), names))
    } catch (error) {
      // One broken source does not stop the others.
      if (positionals.length === 1 || !isSourceError(error)) {
        progress.stop()
        throw error
      }
      output.note(`callspec: ${error.message}`)
      unreadable += 1
    }
  }
  progress.stop()
  if (options.flag('json')) output.write(`${JSON.stringify(forged.map(forgedJson), null, 2)}\n`)
  else for (const each of forged) printForged(each, { output, isFull: names !== null })
  if (unreadable > 0) return EXIT.usage
  return forged.some(({ attacks }) => attacks.some(({ outcome }) => outcome === 'forged')) ? EXIT.disagreement : EXIT.ok
}

/** The attacks that `--attack` names; null for all. */
function attacksFrom(options: Options): readonly AttackName[] | null {
  const given = options.list('attack').flatMap((text) => text.split(','))
  if (given.length === 0) return null
  return given.map((id) => {
    const found = ATTACKS.find(({ name }) => name === id)
    if (found !== undefined) return found.name
    const known = ATTACKS.map(({ name }) => name)
    throw new UsageError(`there is no attack "${id}".${didYouMean(id, known)} Attacks: ${known.join(', ')}.`)
  })
}

/**
 * Tries attacks on a template, or on the prompts of a server.
 *
 * @throws InputError for a server that shows no prompts
 */
export async function forgeSource(source: TemplateSource, names: readonly AttackName[] | null): Promise<ForgedSource> {
  const { name } = source
  if (source.kind === 'text') {
    const tokens = Object.keys(source.tokens).length === 0 ? {} : { tokens: source.tokens }
    return { name, attacks: forgeTemplate({ source: source.template, ...tokens }, names).attacks }
  }
  const renderer = createRenderer(source, { forced: new Map(), now: new Date() })
  const { attacks } = await forgeRenderer((probe) => {
    const variables = fromPlain(variablesOf(probe))
    return renderer.render(isDict(variables) ? variables : new Map())
  }, names)
  return { name, attacks }
}

function forgedJson(source: ForgedSource): object {
  return { template: source.name, attacks: forgedAttacks(source) }
}

/** The attacks as JSON. */
export function forgedAttacks({ attacks }: ForgedSource): readonly object[] {
  return attacks.map(({ attack, outcome, text }) => ({ attack, outcome, text }))
}

const STYLES: Readonly<Record<Forgery['outcome'], Style>> = {
  forged: 'red',
  'other-bytes': 'yellow',
  refused: 'dim',
  'not-shown': 'dim',
}
const NAME_WIDTH = 22
const INDENT = 4

/** A line per attack; in full with both conversations, the text and the prompt. */
function printForged(
  { name, attacks }: ForgedSource,
  { output, isFull }: { readonly output: Output; readonly isFull: boolean },
): void {
  output.line(output.paint('bold', inert(name)))
  for (const each of attacks) {
    const { attack, outcome } = each
    output.line(
      `  ${output.paint(STYLES[outcome], outcome.padEnd(12))} ${attack.padEnd(NAME_WIDTH)} ${quotedLine(reasonOf(each), 160)}`.trimEnd(),
    )
    if (isFull) printConversations(each, output)
  }
}

/** What the outcome means for this attack, in one sentence. */
function reasonOf({ attack, outcome, reason, byTrimming, realPrompt }: Forgery): string {
  const forges = ATTACKS.find(({ name }) => name === attack)?.forges ?? ''
  if (outcome === 'forged') return `one text becomes ${forges}: the same ${realPrompt?.length ?? 0} characters`
  return byTrimming ? `${reason}: the template trims texts, and escapes no marks` : reason
}

function printConversations({ real, forged, text, realPrompt, outcome, forgedPrompt }: Forgery, output: Output): void {
  const lines = (line: string): void => wrapHanging(inert(line), INDENT, output).forEach((each) => output.line(each))
  lines(`real:   ${real.messages.map(probeMessageText).join(' · ')}`)
  if (forged === null || text === null) return
  lines(`forged: ${forged.messages.map(probeMessageText).join(' · ')}`)
  lines(`text:   ${wholeLine(text)}`)
  lines(`prompt: ${wholeLine(realPrompt ?? '')}`)
  if (outcome !== 'forged') lines(`other:  ${wholeLine(forgedPrompt ?? '')}`)
}

/** All of a text on one line, with its line feeds visible. */
function wholeLine(text: string): string {
  return quotedLine(text, Infinity)
}
