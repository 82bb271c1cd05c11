import type { SuiteDefinition } from '@callspec/eval'
import type { EvalConfig } from './eval/config/config.ts'

export type {
  EvalConfig,
  GateConfig,
  ModelConfig,
  OutputConfig,
  PriceConfig,
  TaskChoice,
} from './eval/config/config.ts'
export type {
  NamedToolDefinition,
  RecordedResult,
  ReferenceDefinition,
  SuiteDefinition,
  TaskDefinition,
  ToolContext,
  ToolDefinition,
} from '@callspec/eval'

/** Gives back what it is given: an editor then knows what may stand in `callspec.config.ts`. */
export function defineConfig(config: EvalConfig): EvalConfig {
  return config
}

/** Gives back what it is given: an editor then knows what may stand in a `*.eval.ts`. */
export function defineSuite(suite: SuiteDefinition): SuiteDefinition {
  return suite
}
