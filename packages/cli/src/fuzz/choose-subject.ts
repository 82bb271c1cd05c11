import { formats } from '@callspec/core'
import type { PromptFormat } from '@callspec/core'
import { openSession, poolOf, STRICT, wireProfile } from '@callspec/conformance'
import type { Implementation } from '@callspec/conformance'
import { formatSubject } from '@callspec/fuzz'
import type { RemoteSubject, Subject } from '@callspec/fuzz'
import { chooseFormat } from '../formats.ts'
import { UsageError } from '../usage-error.ts'
import { ownVersion } from '../version.ts'
import { remoteSubject } from './remote-subject.ts'

/** What is searched, and how its findings are told and kept. */
export interface ChosenSubject {
  readonly kind: 'in-process' | 'program'
  readonly subject: Subject | RemoteSubject
  readonly formatId: string
  readonly profile: string | null
  readonly close: () => Promise<void>
}

/** What the options say. */
export interface SubjectRequest {
  /** A built-in format or a module. */
  readonly format: string
  readonly profile: string | null
  /** The command of a program that speaks the protocol in a session. */
  readonly impl: string | null
  readonly jobs: number
  readonly timeLimit: number
}

/**
 * Finds the parser under test: a format in this process, or a program that reads the texts of a format.
 *
 * @throws UsageError for what is unknown, BrokenImplementation for a program that does not begin as it should
 */
export async function chooseSubject(request: SubjectRequest): Promise<ChosenSubject> {
  const { impl, profile } = request
  const chosen = await chooseFormat(request.format, impl === null ? profile : null)
  const format = chosen.kind === 'built-in' ? formats[chosen.id] : (chosen.format as unknown as PromptFormat)
  if (impl !== null) return program(impl, { ...request, format })
  if (format.parse === undefined || format.render === undefined)
    throw new UsageError(`${request.format}: a format needs both "render" and "parse" to be searched.`)
  const named = chosen.kind === 'built-in' ? chosen.profile.name : null
  const options = named === null ? {} : { options: { profile: named, parallelCalls: true } }
  return {
    kind: 'in-process',
    subject: formatSubject(format, options),
    formatId: format.id,
    profile: named,
    close: () => Promise.resolve(),
  }
}

async function program(
  command: string,
  { format, profile, jobs, timeLimit }: Omit<SubjectRequest, 'format'> & { readonly format: PromptFormat },
): Promise<ChosenSubject> {
  const version = await ownVersion()
  const open = (): Promise<Implementation> => openSession(command, { timeLimit, version })
  const implementation = poolOf(await open(), jobs, open)
  const claimed = profile === null ? STRICT : wireProfile(profile)
  const { name, version: theirs } = implementation.about
  const subject = remoteSubject({ name: `${name} ${theirs}`, implementation, format, profile: claimed })
  if (!subject.answers.has('parse')) {
    await implementation.close?.()
    throw new UsageError(`${name} does not claim "parse" for the format ${format.id} under ${claimed}.`)
  }
  return {
    kind: 'program',
    subject,
    formatId: format.id,
    profile,
    close: async () => implementation.close?.(),
  }
}
