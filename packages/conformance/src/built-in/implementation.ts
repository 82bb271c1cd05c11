import type { Format } from '@callspec/core'
import { formatNamed, FORMATS, InputError } from '@callspec/core'
import type { FormatName, Profile, ProfileName, Tokenizer } from '@callspec/core/qwen-agent'
import { formats, PROFILE_NAMES, profileNamed } from '@callspec/core/qwen-agent'
import type { PyDict } from '@callspec/python'
import { isDict, Raise } from '@callspec/python'
import { METAGPT_PROFILE_NAMES, metagptProfileNamed } from '@callspec/metagpt'
import { loadQwenTokenizer } from '@callspec/tokenizer-qwen'
import type { Implementation, Question, Reply } from '../implementation.ts'
import { lazyTokenizer, MachineryError } from '../implementation.ts'
import { anyFormatOperations, coarseOperations } from './operations/coarse.ts'
import type { Operation, OperationContext } from './operations/operation.ts'
import { isInVersion } from './operations/operation.ts'
import type { Claim } from '../protocol/declaration.ts'
import {
  OWN_POLICY,
  RESPONSE_TEMPLATE,
  STRICT,
  wireProfile,
  COARSE_OPERATIONS,
  isCoarse,
  isRoleOperation,
} from '../protocol/declaration.ts'
import { agentOperations } from './operations/agents.ts'
import { chatOperations, conversationOperations } from './operations/conversation.ts'
import { formatOperations, pythonOperations, tokenizerOperations } from './operations/formats.ts'
import { metagptOperations } from './operations/metagpt/index.ts'
import { TEMPLATE_PROFILES, responseTemplate } from './operations/response-template.ts'

/** The built-in implementation: the functions of `@callspec/core`, called directly. */
export function builtInImplementation(version = '0'): Implementation {
  const tokenizer = lazyTokenizer(loadQwenTokenizer)
  return {
    about: { name: 'callspec', version, language: 'typescript', supports: builtInClaims(), notes: true },
    answer(question) {
      if (question.op === RESPONSE_TEMPLATE) {
        if (!TEMPLATE_PROFILES.includes(question.profile)) return unknownProfile(question, TEMPLATE_PROFILES)
        return attempted(() => responseTemplate(question.input, question.profile))
      }
      const other = isCoarse(question.op) ? (otherFormat(question.format) ?? formatOfOwnVersion(question)) : null
      if (other !== null) return answerOther(other, question)
      const operation = operations.get(question.op)
      if (operation === undefined)
        return { kind: 'skipped', reason: `the implementation has no operation "${question.op}"` }
      if (isRoleOperation(question.op)) return runRole(operation, question, tokenizer)
      const profile = profileFor(question)
      if (profile === null) return unknownProfile(question, PROFILE_NAMES)
      const { format } = question
      if (!isThere(question, profile)) return { kind: 'skipped', reason: lackText(question, profile) }
      return runOperation(operation, question, { profile, tokenizer, ...(format === undefined ? {} : { format }) })
    },
  }
}

/** A format as an implementation of its own: what one would ask an outsider, asked of a value in this process. */
export function formatImplementation(
  format: Format,
  about: { readonly name: string; readonly version: string },
): Implementation {
  return {
    about: { ...about, language: 'typescript', supports: claimsOf(format), notes: true },
    answer: (question) => answerOther(format, question),
  }
}

function claimsOf({ id, prompt, versions, readVersions = versions }: Format): readonly Claim[] {
  const offered = COARSE_OPERATIONS.filter((op) => anyFormatOperations.has(op) && op !== 'render')
  const claim = (operations: readonly string[], known: readonly string[]): Claim => ({
    operations,
    formats: [id],
    profiles: known.includes(STRICT) ? known : [STRICT, ...known],
  })
  const policies = readVersions.includes(STRICT) ? [OWN_POLICY] : []
  return [claim(offered, [...readVersions, ...policies]), ...(prompt === null ? [] : [claim(['render'], versions)])]
}

function builtInClaims(): readonly Claim[] {
  const fine = [...operations.keys()].filter((op) => !isCoarse(op) && !isRoleOperation(op))
  const versions = PROFILE_NAMES.map(wireProfile)
  const isEverywhere = (op: string): boolean => PROFILE_NAMES.every((name) => isIn(op, name))
  const late = fine.filter((op) => !isEverywhere(op))
  return [
    ...Object.entries(formats).map(([format, { profiles }]) => ({
      operations: COARSE_OPERATIONS,
      formats: [format],
      profiles: [STRICT, ...profiles.map(wireProfile)],
    })),
    ...Object.values(formats).map((format) => ({
      operations: COARSE_OPERATIONS.filter((op) => anyFormatOperations.has(op) && op !== 'render'),
      formats: [format.id],
      profiles: [OWN_POLICY, ...(format.readVersions ?? []).filter((version) => format.inVersion?.(version))],
    })),
    ...Object.values(formats)
      .map((format) => ({ operations: ['render'], formats: [format.id], profiles: ownVersions(format, 'render') }))
      .filter(({ profiles }) => profiles.length > 0),
    ...FORMATS.filter(({ id }) => otherFormat(id) !== null).flatMap(claimsOf),
    { operations: fine.filter(isEverywhere), profiles: versions },
    ...PROFILE_NAMES.map((name) => ({
      operations: late.filter((op) => isIn(op, name)),
      profiles: [wireProfile(name)],
    })).filter((claim) => claim.operations.length > 0),
    { operations: [RESPONSE_TEMPLATE], profiles: TEMPLATE_PROFILES },
    { operations: [...operations.keys()].filter(isRoleOperation), profiles: METAGPT_PROFILE_NAMES.map(metagptName) },
  ]
}

function isIn(op: string, name: ProfileName): boolean {
  const profile = profileNamed(name)
  return profile !== null && isInVersion(op, profile)
}

/** Whether a version has the operation, and the format where a coarse one is about one. */
function isThere({ op, format }: Question, profile: Profile): boolean {
  if (!isCoarse(op) || format === undefined || !Object.hasOwn(formats, format)) return isInVersion(op, profile)
  return formats[format as FormatName].profiles.includes(profile.name)
}

function lackText({ op, format }: Question, { name }: Profile): string {
  return `Qwen-Agent ${name} has no ${isCoarse(op) ? `format "${format ?? ''}"` : `operation "${op}"`}`
}

/** A format that follows no version of Qwen-Agent; null for those that do, and for unknown ids. */
function otherFormat(id: string | undefined): Format | null {
  return id === undefined || Object.hasOwn(formats, id) ? null : formatNamed(id)
}

/**
 * A format of Qwen-Agent in a version of its own, no version of Qwen-Agent: one that reads `strict`, and one with the prompt of a
 * chat template. Null for all others. Well-formed replies mean the same in every version; that of its own also says which calls are only
 * shown.
 */
function formatOfOwnVersion({ op, format, profile }: Question): Format | null {
  if (format === undefined || !Object.hasOwn(formats, format)) return null
  const found = formatNamed(format)
  if (found === null) return null
  const isStrict =
    profile === STRICT && op !== 'render' && anyFormatOperations.has(op) && found.versions.includes(STRICT)
  return isStrict || ownVersions(found, op).includes(profile) ? found : null
}

/** What a prompt has to show under `strict` is asked of the default version. */
function ownVersions({ versions, readVersions = versions }: Format, op: string): readonly string[] {
  const known = op === 'render' ? versions.filter((version) => version !== STRICT) : readVersions
  if (!anyFormatOperations.has(op)) return []
  const policies = known.includes(STRICT) ? [OWN_POLICY] : []
  return [...known.filter((version) => profileNamed(version) === null), ...policies]
}

function answerOther(format: Format, question: Question): Reply {
  const operation = anyFormatOperations.get(question.op)
  if (operation === undefined)
    return { kind: 'skipped', reason: `"${question.op}" is not answered for the format "${format.id}"` }
  const { profile } = question
  // The readers of a grammar have one way to read, well-formed replies and others.
  const version = profile === OWN_POLICY && format.versions.includes(STRICT) ? STRICT : profile
  if (version !== STRICT && !format.versions.includes(version)) return unknownProfile(question, format.versions)
  const [first = STRICT] = format.versions
  const asked = format.versions.includes(version) ? version : first
  return attempted(() => operation(question.input, { format, version: asked }))
}

/** The operation decides whose versions a profile is one of. */
function runRole(operation: Operation, question: Question, tokenizer: Tokenizer): Reply {
  const roleProfile = metagptProfileNamed(question.profile)
  const profile = profileNamed('main')
  if (roleProfile === null || profile === null) return unknownProfile(question, METAGPT_PROFILE_NAMES.map(metagptName))
  return runOperation(operation, question, { profile, roleProfile, tokenizer })
}

function metagptName(name: string): string {
  return `metagpt@${name}`
}

function unknownProfile({ profile }: Question, known: readonly string[]): Reply {
  return { kind: 'skipped', reason: `unknown profile "${profile}"; known: ${known.join(', ')}` }
}

/** A well-formed text means the same in every version, so `strict` is answered in the one that a format is best in. */
function profileFor({ profile, format, op }: Question): Profile | null {
  const isOurs = isCoarse(op) && format !== undefined && Object.hasOwn(formats, format)
  if (profile === STRICT && isOurs) return profileNamed(formats[format as FormatName].defaultProfile)
  return profileNamed(profile)
}

function runOperation(operation: Operation, item: Question, context: OperationContext): Reply {
  return attempted(() => operation(item.input, context))
}

function attempted(work: () => PyDict): Reply {
  try {
    const value = work()
    return isDict(value) ? { kind: 'returned', value } : { kind: 'errored', reason: 'the operation gave no map' }
  } catch (error) {
    if (error instanceof Raise) return { kind: 'raised', error: { type: error.type, message: error.message } }
    if (error instanceof MachineryError) throw error
    if (error instanceof InputError)
      return { kind: 'errored', reason: `the input is not as expected: ${error.message}` }
    return { kind: 'errored', reason: `unexpected exception: ${exceptionText(error)}` }
  }
}

function exceptionText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

/** Every operation that the built-in implementation knows, by the `op` of a case. */
export const operations: ReadonlyMap<string, Operation> = new Map([
  ...coarseOperations,
  ...pythonOperations,
  ...formatOperations,
  ...conversationOperations,
  ...chatOperations,
  ...agentOperations,
  ...tokenizerOperations,
  ...metagptOperations,
])
