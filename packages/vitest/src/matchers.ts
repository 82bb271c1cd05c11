import type { FormatName, PromptFormat } from '@callspec/core/qwen-agent'
import type { Variables } from '@callspec/template'

import { toMatchPrompt } from './to-match-prompt.ts'
import type { Prompt } from './to-match-prompt.ts'
import type { TemplateLintOptions, ExpectedRendering, RenderingOptions } from './template-matchers.ts'
import { toPassTemplateLint, toRenderAs } from './template-matchers.ts'
import { toParseAs } from './to-parse-as.ts'
import type { ExpectedReading, ReadingOptions } from './to-parse-as.ts'
import { toTerminateWith } from './to-terminate-with.ts'
import type { TerminationReason } from './to-terminate-with.ts'

/** For `expect.extend(callspecMatchers)`, best in a file that `test.setupFiles` of vitest names. */
export const callspecMatchers: {
  readonly toMatchPrompt: typeof toMatchPrompt
  readonly toParseAs: typeof toParseAs
  readonly toPassTemplateLint: typeof toPassTemplateLint
  readonly toRenderAs: typeof toRenderAs
  readonly toTerminateWith: typeof toTerminateWith
} = { toMatchPrompt, toParseAs, toPassTemplateLint, toRenderAs, toTerminateWith }

/** The matchers, as written after `expect(…)`. */
export interface CallspecMatchers {
  /** The prompt - a text, or messages - is this one. Messages against a text are put into ChatML. */
  toMatchPrompt(expected: Prompt): void
  /** The text of a model means this in the format: its calls, or prose and calls, or an outcome. */
  toParseAs(format: FormatName | PromptFormat, expected: ExpectedReading, options?: ReadingOptions): void
  /** The chat template - its text, or `{ source, tokens }` - has no errors. */
  toPassTemplateLint(options?: TemplateLintOptions): void
  /** The chat template - its text, or `{ source, tokens }` - makes this prompt of these variables, or raises. */
  toRenderAs(variables: Variables, expected: ExpectedRendering, options?: RenderingOptions): void
  /** The run ended for this reason. */
  toTerminateWith(reason: TerminationReason): void
}
