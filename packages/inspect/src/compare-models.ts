import { compareTemplates, createSide, diffProbes } from '@callspec/template/check'
import type { Difference } from '@callspec/template/check'
import { lintTemplate } from '@callspec/template/lint'
import type { TextSource } from '@callspec/template/source'
import { compileTemplate } from '@callspec/template'
import { dumps } from '@callspec/python'
import { modelAnswer, modelEvidence } from './evidence.ts'
import type { OpenedModel } from './model-files.ts'

/** What is different in another copy or revision of a model, as plain data. `before` is the other one. */
export interface ModelDifference {
  readonly before: string
  /** Formats of both, if they differ. */
  readonly formats: readonly [before: readonly string[], now: readonly string[]] | null
  /** Names of special tokens that have another text, or are only in one of them. */
  readonly tokens: readonly string[]
  /** Null if one of the two has no chat template that compiles. */
  readonly template: TemplateDifference | null
  readonly hasSameResponse: boolean
}

/** Two chat templates. */
export interface TemplateDifference {
  readonly isSameText: boolean
  /** Conversations that were rendered with both. */
  readonly conversations: number
  /** Those whose prompts differ. */
  readonly prompts: readonly PromptDifference[]
  /** Rules that find something now and did not before, and the other way round. */
  readonly fresh: readonly string[]
  readonly gone: readonly string[]
}

/** Where two prompts of a conversation begin to differ. */
export interface PromptDifference {
  readonly conversation: string
  /** Offset in UTF-16 units; null where one of them is refused. */
  readonly at: number | null
  /** What each has there: at most 80 characters, after at most 20 that both share. A refusal as `raises …`. */
  readonly before: string
  readonly now: string
}

/** Compares a model with another copy of it. */
export async function compareModels(other: OpenedModel, model: OpenedModel): Promise<ModelDifference> {
  const [before, now] = [
    modelAnswer(await modelEvidence(other)).formats,
    modelAnswer(await modelEvidence(model)).formats,
  ]
  const [old, own] = [other.chat, model.chat]
  const tokens = [...new Set([...Object.keys(old?.tokens ?? {}), ...Object.keys(own?.tokens ?? {})])]
  return {
    before: other.name,
    formats: before.join() === now.join() ? null : [before, now],
    tokens: old === null || own === null ? [] : tokens.filter((name) => old.tokens[name] !== own.tokens[name]),
    template: old === null || own === null ? null : await compareChats(old, own),
    hasSameResponse: responseText(other) === responseText(model),
  }
}

function responseText({ response }: OpenedModel): string {
  return response.kind === 'none' ? '' : dumps(response.value)
}

async function compareChats(old: TextSource, own: TextSource): Promise<TemplateDifference | null> {
  if ([old, own].some(({ template }) => compileTemplate(template).error !== null)) return null
  const isSameText = old.template === own.template
  const hasSameTokens = JSON.stringify(old.tokens) === JSON.stringify(own.tokens)
  if (isSameText && hasSameTokens)
    return { isSameText, conversations: diffProbes().length, prompts: [], fresh: [], gone: [] }
  const settings = { forced: new Map(), now: new Date() }
  const sides = [
    await createSide(old, { settings, tokens: own.tokens }),
    await createSide(own, { settings, tokens: old.tokens }),
  ] as const
  const { probes, differences } = await compareTemplates(sides, () => undefined)
  const rules = ({ template, tokens, specials }: TextSource): readonly string[] => {
    const known = Object.keys(tokens).length === 0 ? {} : { tokens }
    return lintTemplate({ source: template, ...known, specials }).findings.map(({ rule }) => rule)
  }
  const [foundBefore, foundNow] = [rules(old), rules(own)]
  return {
    isSameText,
    conversations: probes,
    prompts: differences.flatMap(promptDifference),
    fresh: foundNow.filter((rule) => !foundBefore.includes(rule)),
    gone: foundBefore.filter((rule) => !foundNow.includes(rule)),
  }
}

const SHARED = 20
const SHOWN = 80

function promptDifference(difference: Difference): readonly PromptDifference[] {
  const { probe, how } = difference
  if (how === 'tokens') return []
  if (how === 'text') {
    const [before, now] = difference.texts
    const at = firstDifference(before, now)
    const around = (text: string): string => text.slice(Math.max(0, at - SHARED), at + SHOWN)
    return [{ conversation: probe, at, before: around(before), now: around(now) }]
  }
  const [before, now] = difference.sides.map((shown) =>
    shown.kind === 'raised'
      ? `raises ${shown.error.type}: ${cut(shown.error.message)}`
      : shown.kind === 'text'
        ? cut(shown.text)
        : '',
  )
  return [{ conversation: probe, at: null, before: before ?? '', now: now ?? '' }]
}

/** With an ellipsis where something is left out. */
function cut(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

/** Equal differences once, each with the names of the other conversations that have it. */
export function groupedPrompts(
  prompts: readonly PromptDifference[],
): readonly (readonly [difference: PromptDifference, others: readonly string[]])[] {
  const groups = new Map<string, [PromptDifference, string[]]>()
  for (const each of prompts) {
    const key = JSON.stringify([each.before, each.now])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [each, []])
    else group[1].push(each.conversation)
  }
  return [...groups.values()]
}
