import type { Api } from '@callspec/apis'
import { profileNamed } from '@callspec/core/qwen-agent'

/** What an implementation says about itself. */
export interface Declaration {
  readonly name: string
  readonly version: string
  /** What it is written in, when it says so. */
  readonly language?: string
  /** Everything that it answers. A question is asked when one of the claims covers it. */
  readonly supports: readonly Claim[]
  /** How replies come to its users in streams: `whole`, `special`, `tokens`, `groups`. Default: in any pieces. */
  readonly cuts?: readonly string[]
  /** `offered`: tools are offered with each reply, as its parser reads no calls without. Default: those of the case. */
  readonly tools?: 'offered'
  /** How replies begin after the prompts of its users. Default: in any way. */
  readonly thinking?: readonly Thinking[]
  /** Whether its calls say in `note` that the reply only shows them. Default: they do not, and notes are not compared. */
  readonly notes?: boolean
}

/** Where the thought of a reply begins: `opened` by the prompt, `written` by the model, or `none`. */
export type Thinking = 'opened' | 'written' | 'none'

/** Operations × formats × profiles. In names `*` stands for any text. */
export interface Claim {
  readonly operations: readonly string[]
  /** Default: all, and operations without format. */
  readonly formats?: readonly string[]
  /** As they travel, such as `qwen-agent@main`. Default: `strict`. */
  readonly profiles?: readonly string[]
  /** Of the operation `client`: the APIs that it reads. Default: all. */
  readonly apis?: readonly Api[]
  /** Of the operation `client`: what it does not give its users of them. */
  readonly omits?: readonly Omitted[]
}

/** A part of a reply that a client does not give its users: it is not compared. */
export type Omitted = 'reasoning' | 'usage' | 'finish' | 'ids' | 'order'

/** What a case is about, as far as claims go. */
export interface Topic {
  readonly op: string
  readonly format?: string
  /** As cases have it. */
  readonly profile: string
}

/** Why an implementation is not asked: what it does not claim. null when a claim covers the topic. */
export function unsupported(about: Declaration, topic: Topic): string | null {
  const known = answers.get(about) ?? new Map<string, string | null>()
  const { op, format, profile } = topic
  const key = JSON.stringify([op, format, profile])
  const answer = known.get(key)
  if (answer !== undefined) return answer
  // Thousands of cases are about a few hundred topics. More of them than anybody has are not kept.
  if (known.size > MANY_TOPICS) known.clear()
  const found = whyUnclaimed(about, topic)
  answers.set(about, known.set(key, found))
  return found
}

const answers = new WeakMap<Declaration, Map<string, string | null>>()
const MANY_TOPICS = 10_000

function whyUnclaimed({ name, supports }: Declaration, topic: Topic): string | null {
  const { op, format } = topic
  const profile = wireProfile(topic.profile)
  const forOperation = supports.filter((claim) => matches(claim.operations, op))
  if (forOperation.length === 0) return `${name} does not claim the operation "${op}"`
  const forFormat = forOperation.filter(({ formats }) => coversFormat(formats, format))
  if (forFormat.length === 0) return `${name} does not claim "${op}" for the format "${format ?? 'none'}"`
  const profiles = forFormat.flatMap((claim) => claim.profiles ?? [STRICT])
  if (matches(profiles, profile)) return null
  return `${name} does not claim the profile "${profile}" for "${op}"; it claims ${[...new Set(profiles)].join(', ')}`
}

/** At most so many names are listed in a sentence about what an implementation declares. */
const MOST_LISTED = 6

/** Why a topic that no claim covers was not sent, as a sentence that is the same for many topics; `you` names the implementation. */
export function unclaimedText({ supports }: Declaration, { op, format, profile }: Topic, you: string): string {
  const forFormat = supports.filter(({ formats }) => coversFormat(formats, format))
  const formats = namesIn(supports.flatMap((claim) => claim.formats ?? []))
  if (forFormat.length === 0) {
    const declared =
      formats === null ? `does not declare the format "${format ?? 'none'}"` : `declares only the format ${formats}`
    return `${you} ${format === undefined ? `does not declare "${op}"` : declared}`
  }
  const about = format === undefined ? '' : ` for ${format}`
  const forOperation = forFormat.filter((claim) => matches(claim.operations, op))
  if (forOperation.length === 0) {
    const operations = namesIn(forFormat.flatMap((claim) => claim.operations).map((name) => `"${name}"`))
    return operations === null
      ? `${you} does not declare "${op}"${about}`
      : `${you} declares only ${operations}${about}`
  }
  const profiles = namesIn(forOperation.flatMap((claim) => claim.profiles ?? [STRICT]))
  const not = `does not declare the version ${wireProfile(profile)} of "${op}"${about}`
  return `${you} ${profiles === null ? not : `declares only ${profiles} of "${op}"${about}`}`
}

/** `a, b and c`; null for more names than a sentence lists. */
function namesIn(names: readonly string[]): string | null {
  const each = [...new Set(names)]
  if (each.length === 0 || each.length > MOST_LISTED) return null
  return each.length === 1 ? each.join('') : `${each.slice(0, -1).join(', ')} and ${each.at(-1) ?? ''}`
}

/** Whether a name is one of the patterns, in which `*` stands for any text. */
export function matches(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => pattern === name || (pattern.includes('*') && expressionOf(pattern).test(name)))
}

function coversFormat(formats: readonly string[] | undefined, format: string | undefined): boolean {
  if (formats === undefined) return true
  return format === undefined ? formats.includes('*') : matches(formats, format)
}

const expressions = new Map<string, RegExp>()

function expressionOf(pattern: string): RegExp {
  const known = expressions.get(pattern)
  if (known !== undefined) return known
  const steps = pattern.split('*').map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, (character) => `\\${character}`))
  const made = new RegExp(`^${steps.join('.*')}$`, 'su')
  expressions.set(pattern, made)
  return made
}

/** The operations that are made for outsiders: their outputs have a schema. */
export type CoarseOperation = 'render' | 'parse' | 'stream' | 'stop' | 'loop'

/** In the order in which an outsider meets them. */
export const COARSE_OPERATIONS: readonly CoarseOperation[] = ['parse', 'stop', 'render', 'stream', 'loop']

/** Whether an operation is one of these. */
export function isCoarse(op: string): op is CoarseOperation {
  return (COARSE_OPERATIONS as readonly string[]).includes(op)
}

/** The operation of programs that read replies by a response template. */
export const RESPONSE_TEMPLATE = 'response_template'

/** Whether an operation is one of MetaGPT's. */
export function isRoleOperation(op: string): boolean {
  return op.startsWith('metagpt.')
}

/**
 * The name of a profile as it travels: versions of Qwen-Agent get the name of the program in front (`qwen-agent@main`),
 * everything else (`strict`, `lenient:repair`, `metagpt@v0.8.1`) is as it is written.
 */
export function wireProfile(profile: string): string {
  const known = profileNamed(profile)
  return known === null ? profile : `qwen-agent@${known.name}`
}

/** The name of a profile as cases have it: the inverse of `wireProfile`. */
export function caseProfile(profile: string): string {
  return profileNamed(profile)?.name ?? profile
}

/** The profile of well-formed texts: one right answer for every reader. */
export const STRICT = 'strict'

/** The policy of callspec's own readers: a reply that lacks a piece of its format is read where only one call can be meant. */
export const OWN_POLICY = 'lenient:callspec'
