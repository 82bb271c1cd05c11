import { FORMATS } from '@callspec/core'
import { BrokenImplementation } from './machinery-error.ts'
import type { Implementation, Question } from './implementation.ts'
import { matches, caseProfile, STRICT } from './protocol/declaration.ts'
import type { Claim } from './protocol/declaration.ts'

/**
 * Asks trivial questions about what the implementation claims, and looks only at whether it answers them as the protocol
 * says. So a broken script is found out before its answers are taken for those of a parser.
 *
 * `mustAccept`: a rejection counts as broken too. For one-shot programs, whose crash looks like one.
 *
 * @throws BrokenImplementation with the question and what happened
 */
export async function smokeTest(
  implementation: Implementation,
  { mustAccept = false }: { readonly mustAccept?: boolean } = {},
): Promise<readonly string[]> {
  const { about, answer } = implementation
  const questions = about.supports.flatMap(trivialQuestions).slice(0, MAX_QUESTIONS)
  for (const question of questions) {
    const reply = await answer(question)
    const what = `${about.name}: broken, not judged. The smoke question ${question.id} (${question.op} of plain text)`
    if (reply.kind === 'errored') throw new BrokenImplementation(`${what} got no answer: it ${reply.reason}`)
    if (reply.kind === 'raised' && mustAccept) {
      const words = reply.error.message === '' ? 'stderr is empty' : `stderr ends with: ${reply.error.message}`
      throw new BrokenImplementation(`${what} was rejected; ${words}`)
    }
  }
  return questions.map(({ id }) => id)
}

const MAX_QUESTIONS = 10

/** Questions that need no knowledge of a format, for the operations that outsiders implement. */
const TRIVIAL: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
  parse: [['text', 'Hello.']],
  stop: [['text', 'Hello.']],
  stream: [['chunks', ['Hel', 'lo.']]],
  render: [
    [
      'messages',
      [
        new Map([
          ['role', 'user'],
          ['content', 'Hello.'],
        ]),
      ],
    ],
    ['tools', []],
  ],
}

function trivialQuestions({ operations, formats, profiles = [STRICT] }: Claim): readonly Question[] {
  const format = formats?.find((name) => !name.includes('*')) ?? FORMATS[0]?.id ?? ''
  const profile = profiles.find((name) => !name.includes('*')) ?? STRICT
  return Object.entries(TRIVIAL)
    .filter(([op]) => matches(operations, op))
    .map(([op, members]) => ({
      id: `smoke/${format}/${op}`,
      op,
      format,
      profile: caseProfile(profile),
      input: new Map(members) as Question['input'],
    }))
}
