import { parseAst } from 'rolldown/parseAst'
import { LEFT_OUT } from './left-out.ts'

/** UTF-16 offsets in a source. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** One small change of a source: what stands between two offsets is put in another way. */
export interface CodeMutant extends Range {
  readonly file: string
  readonly line: number
  readonly original: string
  readonly mutant: string
  /** Whether a whole statement is left out; else an expression is put in another way. */
  readonly isStatement: boolean
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

/**
 * Every mutant of a TypeScript source: comparisons, conditions, arithmetic, numbers, texts and booleans put in another way, calls left
 * out. Only inside of functions: what is computed when a module is loaded cannot be switched. Not what `LEFT_OUT` names.
 */
export function findMutants(file: string, source: string): readonly CodeMutant[] {
  const found: CodeMutant[] = []
  const take = (node: Node, mutant: string, isStatement = false): void => {
    const { start, end } = node
    const line = source.slice(0, start).split('\n').length
    found.push({ file, line, start, end, original: source.slice(start, end), mutant, isStatement })
  }
  const text = (value: unknown): string => (isNode(value) ? source.slice(value.start, value.end) : '')
  walk(parseAst(source, { lang: 'ts' }) as unknown as Node, { depth: 0 }, (node) => {
    const mutant = expressionMutant(node, text)
    if (mutant !== null) take(node, mutant)
    if (
      node.type === 'ExpressionStatement' &&
      isNode(node['expression']) &&
      node['expression'].type === 'CallExpression'
    )
      take(node, '', true)
    const test = node['test']
    if (node.type === 'IfStatement' && isNode(test)) take(test, 'false')
  })
  return found
}

const LOOPS = new Set(['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement'])

/** Where the bodies of a source's loops stand. */
export function findLoops(source: string): readonly Range[] {
  const found: Range[] = []
  walk(parseAst(source, { lang: 'ts' }) as unknown as Node, { depth: 0 }, ({ type, body }) => {
    if (LOOPS.has(type) && isNode(body)) found.push({ start: body.start, end: body.end })
  })
  return found
}

const INSTEAD: ReadonlyMap<string, string> = new Map([
  ...[
    ['===', '!=='],
    ['!==', '==='],
    ['<', '<='],
    ['<=', '<'],
    ['>', '>='],
    ['>=', '>'],
  ],
  ...[
    ['+', '-'],
    ['-', '+'],
    ['*', '/'],
    ['/', '*'],
    ['&&', '||'],
    ['||', '&&'],
  ],
] as [string, string][])

function expressionMutant(node: Node, text: (value: unknown) => string): string | null {
  const { operator } = node
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const other = INSTEAD.get(String(operator))
      const sides = [node['left'], node['right']]
      const isJoin = operator === '+' && sides.some(isText)
      const isFraction = LEFT_OUT.boundsAtFractions.has(String(operator)) && sides.some(isNoWholeNumber)
      return other === undefined || isJoin || isFraction
        ? null
        : `(${text(node['left'])}) ${other} (${text(node['right'])})`
    }
    case 'UnaryExpression':
      return operator === '!' ? text(node['argument']) : null
    case 'ConditionalExpression':
      return `(${text(node['test'])}) ? (${text(node['alternate'])}) : (${text(node['consequent'])})`
    case 'Literal':
      return literalMutant(node['value'])
    default:
      return null
  }
}

function literalMutant(value: unknown): string | null {
  if (typeof value === 'boolean') return String(!value)
  if (typeof value === 'number') return String(value + 1)
  return typeof value === 'string' && value !== '' ? "''" : null
}

function isText(value: unknown): boolean {
  return (
    isNode(value) &&
    (value.type === 'TemplateLiteral' || (value.type === 'Literal' && typeof value['value'] === 'string'))
  )
}

function isNoWholeNumber(value: unknown): boolean {
  return isNode(value) && typeof value['value'] === 'number' && !Number.isInteger(value['value'])
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
const TYPED = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])

function walk(node: Node, { depth }: { readonly depth: number }, visit: (node: Node) => void): void {
  if (LEFT_OUT.nodes.has(node.type) || (node.type.startsWith('TS') && !TYPED.has(node.type))) return
  if (depth > 0) visit(node)
  const inner = depth + (FUNCTIONS.has(node.type) ? 1 : 0)
  for (const [member, value] of Object.entries(node)) {
    if (member === 'key' && node['computed'] !== true) continue
    if (
      member === 'right' &&
      LEFT_OUT.literalsBehind.has(String(node['operator'])) &&
      isNode(value) &&
      value.type === 'Literal'
    )
      continue
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, { depth: inner }, visit)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}
