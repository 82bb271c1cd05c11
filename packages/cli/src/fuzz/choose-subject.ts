import { formats } from '@callspec/core/qwen-agent'
import type { PromptFormat } from '@callspec/core/qwen-agent'
import type { PyDict } from '@callspec/python'
import {
  MachineryError,
  arrivingChunks,
  openSession,
  poolOf,
  STRICT,
  unsupported,
  wireProfile,
} from '@callspec/conformance'
import type { Implementation, Reply } from '@callspec/conformance'
import { formatParser, formatSubject, programSubject } from '@callspec/fuzz'
import type { RemoteSubject, Subject } from '@callspec/fuzz'
import { chooseFormat, type ChosenFormat } from '../formats.ts'
import { UsageError } from '../usage-error.ts'
import { ownVersion } from '../help.ts'

/** The parser under test, with the format and profile for reports. */
export interface ChosenSubject {
  readonly kind: 'in-process' | 'program'
  readonly subject: Subject | RemoteSubject
  readonly formatId: string
  readonly profile: string | null
  readonly close: () => Promise<void>
}

export interface SubjectRequest {
  /** A built-in format or a module path. */
  readonly format: string
  readonly profile: string | null
  /** The command of a program that keeps a session of the protocol. */
  readonly impl: string | null
  readonly jobs: number
  readonly timeLimit: number
}

/**
 * Finds the parser under test: a format in this process, or a program that reads texts of a format.
 *
 * @throws UsageError for an unknown name, BrokenImplementation for a program that does not start as it should
 */
export async function chooseSubject(request: SubjectRequest): Promise<ChosenSubject> {
  const { impl, profile } = request
  const chosen = await chooseFormat(request.format, impl === null ? profile : null)
  const format = promptFormat(chosen)
  if (impl !== null) return program(impl, { ...request, format })
  if (format.parse === undefined || format.render === undefined)
    throw new UsageError(`${request.format}: a format needs both "render" and "parse" to be searched.`)
  const named = profileOf(chosen)
  const options = named === null ? {} : { options: { profile: named, parallelCalls: true } }
  return {
    kind: 'in-process',
    subject: formatSubject(format, options),
    formatId: format.id,
    profile: named,
    close: () => Promise.resolve(),
  }
}

function promptFormat(chosen: ChosenFormat): PromptFormat {
  switch (chosen.kind) {
    case 'built-in':
      return formats[chosen.id]
    case 'format':
      return formatParser(chosen.format, chosen.version)
    default:
      return chosen.format as unknown as PromptFormat
  }
}

function profileOf(chosen: ChosenFormat): string | null {
  if (chosen.kind === 'built-in') return chosen.profile.name
  // A format reads as its first version if none is named.
  return chosen.kind === 'format' && chosen.version !== chosen.format.versions[0] ? chosen.version : null
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
  const offers = (['parse', 'stream', 'stop'] as const).filter(
    (op) => unsupported(implementation.about, { op, format: format.id, profile: claimed }) === null,
  )
  if (!offers.includes('parse')) {
    await implementation.close?.()
    throw new UsageError(`${name} does not claim "parse" for the format ${format.id} under ${claimed}.`)
  }
  const ask = asker(implementation, { format: format.id, profile: claimed })
  const { cuts } = implementation.about
  // No user of the program meets other pieces, so no law asks for them.
  const arriving =
    cuts === undefined
      ? {}
      : { arriving: (chunks: readonly string[]) => arrivingChunks(chunks, { met: cuts, format: format.id }) }
  const subject = programSubject({ name: `${name} ${theirs}`, format, offers, ask, ...arriving })
  return {
    kind: 'program',
    subject,
    formatId: format.id,
    profile,
    close: async () => implementation.close?.(),
  }
}

/** Requests an answer of a program. @throws MachineryError if it cannot be started again */
function asker(
  implementation: Implementation,
  { format, profile }: { readonly format: string; readonly profile: string },
): (op: string, input: PyDict) => Promise<Reply> {
  let asked = 0
  return async (op, input) => {
    asked += 1
    const reply = await implementation.answer({ id: `fuzz-${asked}`, op, format, profile, input })
    if (reply.kind === 'errored' && reply.reason.startsWith('cannot be started again'))
      throw new MachineryError(reply.reason)
    return reply
  }
}
