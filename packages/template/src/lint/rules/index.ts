import type { Rule } from '../report.ts'
import { ARGUMENT_RULES } from './arguments.ts'
import { CALL_RULES } from './calls.ts'
import { CONTENT_RULES } from './content.ts'
import { ROLE_RULES, SANDBOX_REFUSED, UNRENDERABLE } from './refused.ts'
import { TOKEN_RULES } from './tokens.ts'
import { TOOL_RULES } from './tools.ts'
import { TURN_RULES } from './turns.ts'

/** Every rule, in the order of reports. */
export const RULES: readonly Rule[] = [
  UNRENDERABLE,
  SANDBOX_REFUSED,
  ...TOOL_RULES,
  ...ROLE_RULES,
  ...CALL_RULES,
  ...ARGUMENT_RULES,
  ...CONTENT_RULES,
  ...TURN_RULES,
  ...TOKEN_RULES,
]
