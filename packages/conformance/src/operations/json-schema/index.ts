import type { SchemaValidator } from '@callspec/qwen-agent'
import { findViolations } from './find-violations.ts'
import { isSchema } from './is-schema.ts'
import { isOfType } from './types.ts'
import { bestMatch } from './violation.ts'
import type { Violation } from './violation.ts'
import { isList } from '@callspec/python'

/** Finds what Python's jsonschema would say first, for the keywords that schemas of call arguments use. */
export const pythonSchemaValidator: SchemaValidator = {
  isSchema,
  violation: (schema, value) => bestMatch(findViolations(schema, value), matchesType)?.message ?? null,
}

function matchesType({ schema, value }: Violation): boolean {
  const type = schema.get('type') ?? null
  return (isList(type) ? type : [type]).some((one) => isOfType(value, one))
}
