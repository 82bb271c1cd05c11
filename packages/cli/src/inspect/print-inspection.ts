import { plural } from '@callspec/eval/text'
import type { EngineAdvice } from '@callspec/compat-data'
import { groupedPrompts, likestFormat, servedModel } from '@callspec/inspect'
import type { InspectedResponse, InspectedTemplate, Inspection, ModelDifference, ServedFormat } from '@callspec/inspect'
import { wrapHanging } from '../columns.ts'
import type { Output, Style } from '../output.ts'
import { inert, quotedLine, shellWord, visibleWhiteSpace } from '../output.ts'
import { countText } from '../template/lint.ts'
import type { InspectedModel } from './inspection-json.ts'

/** Findings, conversations and topics that are listed of each kind: the command of the section lists all. */
const SHOWN = 3

/** Prints an inspection: a section for each question, each with the command that says more. */
export function printInspection(shown: InspectedModel, output: Output): void {
  const { given, path, inspection, engines, difference, against } = shown
  const { files, template, missing, response } = inspection
  const line = liner(output)
  output.line(output.paint('bold', inert(given)))
  line(`  ${files.join(', ')}`, 2)
  const source = shellWord(path ?? 'DIR')
  const chosen = template?.chosen ?? null
  const named = chosen === null ? '' : ` --name ${shellWord(chosen)}`
  printFormat(inspection, line)
  more(line, `callspec formats ${source}${named}`)
  if (template === null) {
    line(missing ?? '', 2, 'Template')
    printFormatPrompt(inspection.formatPrompt, line)
  }
  if (template !== null) {
    printPrompt(template, line)
    more(line, `callspec template render ${source} --variables request.json${named}`)
    printLint(template, { line, output })
    more(line, `callspec template lint ${source}${named}`)
    printForged(template, line)
    more(line, `callspec template forge ${source}${named}`)
  }
  printResponse(response, line)
  if (response.kind === 'none') {
    const [format = 'NAME'] = inspection.format.formats
    more(line, `callspec formats ${format} --response-template`)
  } else more(line, `callspec template ${template === null ? 'lint' : 'roundtrip'} ${source}${named}`)
  printEngines(engines, inspection, line)
  more(line, `callspec compat --model ${path === null ? shellWord(given) : source} --engine vllm`)
  if (difference !== null && against !== null) {
    printDifference(difference, { against: against.given, line })
    more(line, `callspec template diff ${shellWord(against.path ?? 'OTHER-DIR')} ${source}${named}`)
  }
  if (path === null) line(`The commands read files: callspec inspect ${shellWord(given)} -o DIR writes them.`, 0, '')
}

type PrintLine = (text: string, indent: number, title?: string) => void

/** Prints wrapped lines; with a title after it, on the first of them, below an empty line. */
function liner(output: Output): PrintLine {
  return (text, indent, title) => {
    if (title !== undefined) output.line()
    const head = title === undefined || title === '' ? '' : `${title}  `
    const lines = wrapHanging(inert(head === '' ? text.trimStart() : `${head}${text}`), indent, output)
    for (const [index, each] of lines.entries()) {
      if (index > 0 || head === '') output.line(each)
      else output.line(each.trimStart().replace(title ?? '', () => output.paint('bold', title ?? '')))
    }
  }
}

function more(line: PrintLine, command: string): void {
  line(`→ ${command}`, 2)
}

function printFormat({ format, versions }: Inspection, line: PrintLine): void {
  const { formats, sure, evidence, lacks } = format
  line(formats.length === 0 ? 'unknown' : `${formats.join(' or ')} (${sure})`, 2, 'Format')
  for (const { says } of evidence.slice(0, 2)) line(`because ${says}`, 2)
  if (lacks !== null) line(`not covered: ${lacks}`, 2)
  for (const { format: id, version, same, compared } of versions.filter((each) => formats.includes(each.format)))
    if (same > 0 && same < compared)
      line(`prompts of ${id} are most like it in version ${version}: ${same} of ${compared} are equal`, 2)
}

function printFormatPrompt(prompt: Inspection['formatPrompt'], line: PrintLine): void {
  if (prompt === null) return
  const { format, version, outcome } = prompt
  if (outcome.kind === 'refused')
    line(`${format} refuses the conversation: ${quotedLine(outcome.reason, 160)}`, 2, 'Prompt')
  else printPromptEnd(outcome.text, `, as ${format} (${version}) writes it`, line)
  more(line, `callspec render request.json --format ${format}`)
}

/** So much of a prompt is shown: its end, where the model continues. */
const PROMPT_END = 120

function printPrompt({ prompt, place, others }: InspectedTemplate, line: PrintLine): void {
  const from = `${place === '' ? '' : `, from ${place}`}${others.length === 0 ? '' : ` (others: ${others.join(', ')})`}`
  if (prompt.kind === 'raised') {
    line(
      `the template refuses the conversation: ${prompt.error.type}: ${quotedLine(prompt.error.message, 160)}`,
      2,
      'Prompt',
    )
    return
  }
  printPromptEnd(prompt.text, from, line)
}

function printPromptEnd(text: string, from: string, line: PrintLine): void {
  line(`${plural(text.length, 'character')}${from}; it ends with`, 2, 'Prompt')
  line(`${text.length > PROMPT_END ? '…' : ''}${visibleWhiteSpace(text.slice(-PROMPT_END))}`, 2)
}

const STYLES: Readonly<Record<'error' | 'warning' | 'info', Style>> = { error: 'red', warning: 'yellow', info: 'dim' }

function printLint(
  { lint }: InspectedTemplate,
  { line, output }: { readonly line: PrintLine; readonly output: Output },
): void {
  const { findings, conversations } = lint
  line(`${countText(findings)}, in ${plural(conversations, 'conversation')}`, 2, 'Lint')
  for (const { severity, rule, about } of findings.slice(0, SHOWN)) {
    output.line(`  ${output.paint(STYLES[severity], severity)} ${inert(rule)}`)
    line(about, 4)
  }
  if (findings.length > SHOWN)
    line(
      `and ${findings
        .slice(SHOWN)
        .map(({ rule }) => rule)
        .join(', ')}`,
      2,
    )
}

function printForged({ lint }: InspectedTemplate, line: PrintLine): void {
  const { forgeries } = lint
  if (forgeries.length === 0) {
    line('not tried: the template renders nothing', 2, 'Forged text')
    return
  }
  const forged = forgeries.filter(({ outcome }) => outcome === 'forged').map(({ attack }) => attack)
  line(
    `${forged.length} of ${plural(forgeries.length, 'attack')} by one text give the bytes of real turns`,
    2,
    'Forged text',
  )
  if (forged.length > 0) line(forged.join(', '), 2)
}

function printResponse(response: InspectedResponse, line: PrintLine): void {
  const title = 'Response template'
  switch (response.kind) {
    case 'none':
      line('none; callspec writes one for most formats', 2, title)
      return
    case 'schema':
      line('only the older response_schema, deprecated since July 2026', 2, title)
      return
    case 'refused':
      line(`transformers refuses it: ${quotedLine(response.reason, 200)}`, 2, title)
      return
    default: {
      const { trips, findings } = response
      const same = trips.filter(({ verdict }) => verdict === 'same').length
      const back = trips.length === 0 ? '' : `${same} of ${trips.length} messages come back; `
      line(`${back}${plural(findings.length, 'finding')}`, 2, title)
      for (const { severity, rule, about } of findings.slice(0, SHOWN)) line(`${severity} ${rule}: ${about}`, 2)
      const lost = trips.filter(({ verdict }) => verdict !== 'same').map(({ id }) => id)
      if (lost.length > 0)
        line(
          `not: ${lost.slice(0, 2 * SHOWN).join(', ')}${lost.length > 2 * SHOWN ? ` and ${lost.length - 2 * SHOWN} more` : ''}`,
          2,
        )
    }
  }
}

function printEngines(all: readonly EngineAdvice[], inspection: Inspection, line: PrintLine): void {
  const format = likestFormat(inspection)
  const engines = all.filter((each) => each.format.replace(/@.*/, '') === format)
  const asked = [...new Set(engines.map((each) => each.format))]
  const [first] = servedModel(inspection.format).filter(({ id }) => id === format)
  line(
    asked.length === 0 ? 'no recorded answers' : `recorded answers to the strict cases of ${asked.join(' and ')}`,
    2,
    'Engines',
  )
  if (engines.length === 0 && first !== undefined) for (const each of namedParsers(first)) line(each, 2)
  let last = ''
  for (const each of engines.filter(({ flags }) => flags.length > 0).toSorted(byTitle)) {
    const choice = `${each.title} ${each.version}: ${each.flags.join(' ')}`
    if (choice !== last) line(choice, 2)
    last = choice
    const of = asked.length > 1 ? ` of ${each.format}` : ''
    line(`${each.right} of ${each.asked} right${of}${brokenText(each.broken)}`, 4)
  }
  const others = engines.filter(({ flags }) => flags.length === 0)
  const counts = others.map(({ title, version, right, asked: cases }) => `${title} ${version} ${right} of ${cases}`)
  if (others.length > 0) line(`without flags${asked.length > 1 ? `, of ${format ?? ''}` : ''}: ${counts.join(', ')}`, 2)
}

function byTitle(one: EngineAdvice, other: EngineAdvice): number {
  return one.title < other.title ? -1 : Number(one.title > other.title)
}

function namedParsers({ vllm, sglang }: ServedFormat): readonly string[] {
  const named = [
    ['vLLM', vllm[0]],
    ['SGLang', sglang[0]],
  ] as const
  return named.flatMap(([engine, parser]) => (parser === undefined ? [] : [`${engine}: --tool-call-parser ${parser}`]))
}

function brokenText(broken: EngineAdvice['broken']): string {
  const topics = broken.length
  if (topics === 0) return ''
  const named = broken.slice(0, SHOWN).map(({ topic, ids }) => `${topic} ${ids.length}`)
  return `; wrong: ${named.join(', ')}${topics > SHOWN ? ` and ${plural(topics - SHOWN, 'more topic')}` : ''}`
}

function printDifference(
  { formats, tokens, template, hasSameResponse }: ModelDifference,
  { against, line }: { readonly against: string; readonly line: PrintLine },
): void {
  line(differenceHead(template), 2, `Difference to ${quotedLine(against)}`)
  if (formats !== null)
    line(`format: ${formats[0].join(' or ') || 'unknown'} before, ${formats[1].join(' or ') || 'unknown'} now`, 2)
  if (tokens.length > 0) line(`other special tokens: ${tokens.join(', ')}`, 2)
  if (!hasSameResponse) line('another response template', 2)
  if (template === null) return
  if (template.fresh.length > 0) line(`new findings: ${template.fresh.join(', ')}`, 2)
  if (template.gone.length > 0) line(`findings that are gone: ${template.gone.join(', ')}`, 2)
  for (const [{ conversation, at, before, now }, others] of groupedPrompts(template.prompts).slice(0, SHOWN)) {
    const also = others.length === 0 ? '' : `, and alike in ${others.length} more`
    line(`${conversation}${at === null ? '' : ` at ${at}`}${also}`, 2)
    line(`- ${visibleWhiteSpace(before)}`, 4)
    line(`+ ${visibleWhiteSpace(now)}`, 4)
  }
}

function differenceHead(template: ModelDifference['template']): string {
  if (template === null) return 'one of the two has no chat template that compiles'
  const { isSameText, prompts, conversations } = template
  const text = isSameText ? 'the same chat template' : 'another text of the chat template'
  return `${text}; ${prompts.length === 0 ? 'no prompt differs' : `prompts differ in ${prompts.length} of ${conversations} conversations`}`
}
