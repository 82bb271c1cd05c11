import type { Body } from '../syntax/node.ts'
import type { Run } from '../values/value.ts'
import { noteBody } from './analyze.ts'
import { templateReference } from './block.ts'
import { checkBlocks } from './check-blocks.ts'
import { compileExpression } from './expression.ts'
import { usedNames } from './names.ts'
import type { Compiler, Scope } from './scope.ts'
import { createFrame, scopeEntry } from './scope.ts'
import { compileBody } from './statement.ts'
import { createSymbols, noteParameter } from './symbols.ts'

/**
 * Compiles a template to functions: what a name means is settled once, so that a rendering only walks over closures.
 *
 * @throws TemplateSyntaxError for what Jinja's compiler refuses
 */
export function compile(body: Body): (run: Run) => void {
  checkBlocks(body)
  const compiler: Compiler = { expression: compileExpression, body: compileBody, late: [], blocks: new Map() }
  const unit = { parent: null, size: 0 }
  const symbols = createSymbols(null, unit)
  const self = usedNames(body, ['self']).has('self') ? noteParameter(symbols, 'self').index : null
  noteBody(symbols, body)
  const scope: Scope = { compiler, symbols, isSoft: false, isInLoop: false, isTop: true }
  const enter = scopeEntry(symbols)
  const page = compiler.body(body, scope)
  const [problem] = compiler.late
  if (problem !== undefined) throw problem
  return (run) => {
    const frame = createFrame(unit, run, null)
    if (self !== null) frame.slots[self] = templateReference(compiler.blocks)
    enter(frame)
    page(frame)
  }
}
