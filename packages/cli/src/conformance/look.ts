import { printJson, wireProfile } from '@callspec/conformance'
import type { Case } from '@callspec/conformance'
import type { Invocation } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { inert } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { caseOrigin } from './case-origin.ts'
import { readSelection } from './select.ts'

/** Prints operation, profile and id of every selected case, with tabs between them. */
export async function listCases({ options, positionals, output }: Invocation): Promise<ExitCode> {
  const selection = await readSelection(options, positionals)
  let found = 0
  for await (const { op, profile, id } of selection.cases(output)) {
    output.line([op, wireProfile(profile), id].map(inert).join('\t'))
    found += 1
  }
  if (found === 0) throw selection.nothing()
  return EXIT.ok
}

/** Prints cases in full: the input, and the answer that is expected. */
export async function showCases({ options, positionals, output }: Invocation): Promise<ExitCode> {
  const ids = [...positionals, ...options.list('id')]
  if (ids.length === 0) throw new UsageError('callspec conformance show needs the id of a case. `list` prints them.')
  const list: typeof options.list = (name) => (name === 'id' ? ids : options.list(name))
  const selection = await readSelection({ ...options, list }, [])
  let found = 0
  for await (const item of selection.cases(output)) {
    output.line(`${found === 0 ? '' : '\n'}${caseText(item)}`)
    found += 1
  }
  if (found === 0) throw selection.nothing()
  return EXIT.ok
}

function caseText(item: Case): string {
  const { id, op, format, profile, about, evidence = [], input, expected, where } = item
  const head = [
    `case      ${inert(id)}`,
    `asks      ${inert(op)}${format === undefined ? '' : `, format ${inert(format)}`}, profile ${inert(wireProfile(profile))}`,
    `from      ${inert(where)}`,
    ...(about === undefined ? [] : [`about     ${inert(about)}`]),
    ...evidence.map((url) => `see       ${inert(url)}`),
    ...caseOrigin(item).map(([title, text]) => `${title.padEnd(10)}${inert(text)}`),
  ]
  const answer = expected.kind === 'raised' ? expected.error : 'value' in expected ? expected.value : null
  const title = expected.kind === 'raised' ? 'expected: rejected' : 'expected'
  return [...head, '', 'input', printJson(input).trimEnd(), '', title, printJson(answer).trimEnd()].join('\n')
}
