import type { Body, Statement } from '../syntax/node.ts'
import { TemplateSyntaxError } from '../syntax/syntax-error.ts'

/** Refuses a template that has two blocks of one name. */
export function checkBlocks(body: Body): void {
  const names = new Set<string>()
  visit(body)

  function visit(statements: Body): void {
    for (const statement of statements) {
      if (statement.kind === 'block') note(statement.name, statement.line)
      bodiesOf(statement).forEach(visit)
    }
  }

  function note(name: string, line: number): void {
    if (names.has(name)) {
      throw new TemplateSyntaxError(`block '${name}' defined twice`, { line }, 'TemplateAssertionError')
    }
    names.add(name)
  }
}

function bodiesOf(statement: Statement): readonly Body[] {
  if (statement.kind === 'if') return [...statement.branches.map(({ body }) => body), statement.otherwise]
  if (statement.kind === 'for') return [statement.body, statement.otherwise]
  return 'body' in statement ? [statement.body] : []
}
