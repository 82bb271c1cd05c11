import type {
  InspectedResponse,
  Inspection,
  LikestVersion,
  ModelDifference,
  ModelFiles,
  OpenedModel,
  ServedFormat,
} from '@callspec/inspect'
import { compareModels, inspectModel, openModel, sampleVariables, servedModel } from '@callspec/inspect'
import { InputError } from '@callspec/core'
import type { Forgery } from '@callspec/template/lint'
import type { SpecialTokens } from '@callspec/template/source'
import type { LintAnswer } from './lint-answer.ts'
import { shownFinding } from './lint-answer.ts'

/** A question about the files of a model. */
export interface ModelQuestion {
  readonly files: ModelFiles
}

/** What the files of a model say, or what is wrong with them. */
export type ModelAnswer =
  | { readonly kind: 'inspected'; readonly model: ShownModel }
  /** One line. */
  | { readonly kind: 'wrong'; readonly message: string }

/** An inspection without its whole prompts. */
export interface ShownModel extends Pick<Inspection, 'name' | 'files' | 'format' | 'missing'> {
  readonly versions: readonly LikestVersion[]
  readonly served: readonly ServedFormat[]
  /** Null without a chat template. */
  readonly template: ShownTemplate | null
  readonly response: InspectedResponse
}

/** A chat template, and what is wrong with it. */
export interface ShownTemplate {
  readonly text: string
  readonly place: string
  /** Its name, if the model has several; and those of the others. */
  readonly chosen: string | null
  readonly others: readonly string[]
  readonly tokens: SpecialTokens
  readonly lint: Omit<LintAnswer, 'forgeries'>
  readonly forged: readonly Pick<Forgery, 'attack' | 'outcome' | 'reason' | 'text'>[]
}

/** Inspects a model. No content of its files makes it throw. */
export async function modelAnswer({ files }: ModelQuestion): Promise<ModelAnswer> {
  return orWrong(async () => {
    const model = await openModel(files, null)
    const inspection = await inspectModel(model, { variables: sampleVariables(), now: new Date() })
    const { name, format, versions, missing, response } = inspection
    const template = shownTemplate(inspection, model)
    const served = servedModel(format)
    return {
      kind: 'inspected',
      model: { name, files: inspection.files, format, versions, missing, response, served, template },
    }
  })
}

/** A question about two copies of a model. */
export interface DifferenceQuestion {
  readonly files: ModelFiles
  readonly other: ModelFiles
}

/** How they differ, or what is wrong with one of them. */
export type DifferenceAnswer =
  | { readonly kind: 'compared'; readonly difference: ModelDifference }
  | { readonly kind: 'wrong'; readonly message: string }

/** Compares a model with another copy. No content of the files makes it throw. */
export async function differenceAnswer({ files, other }: DifferenceQuestion): Promise<DifferenceAnswer> {
  return orWrong(async () => {
    const [before, now] = [await openModel(other, null), await openModel(files, null)]
    return { kind: 'compared', difference: await compareModels(before, now) }
  })
}

async function orWrong<Answer>(
  work: () => Promise<Answer>,
): Promise<Answer | { readonly kind: 'wrong'; readonly message: string }> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InputError) return { kind: 'wrong', message: error.message }
    throw error
  }
}

function shownTemplate({ template }: Inspection, { chat }: OpenedModel): ShownTemplate | null {
  if (template === null || chat === null) return null
  const { text, place, chosen, others, lint } = template
  const { findings, forgeries, ...report } = lint
  return {
    ...{ text, place, chosen, others, tokens: chat.tokens },
    lint: { ...report, findings: findings.map(shownFinding) },
    forged: forgeries.map(({ attack, outcome, reason, text: forged }) => ({ attack, outcome, reason, text: forged })),
  }
}
