import { parseAst } from 'rolldown/parseAst'

/** One small change of a source: what stands between two offsets is put in another way. */
export interface CodeMutant {
  readonly file: string
  readonly line: number
  /** UTF-16 offsets. */
  readonly start: number
  readonly end: number
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
 * out. Only inside of functions: what is computed when a module is loaded cannot be switched. Not what stands behind `??`: most of
 * these numbers and texts are there for the types, which do not know that no place of a list is empty.
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
      const isJoin = operator === '+' && [node['left'], node['right']].some(isText)
      return other === undefined || isJoin ? null : `(${text(node['left'])}) ${other} (${text(node['right'])})`
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

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
/** What is said of an error is for people, and no test asks for every word of it. */
const SAID = new Set(['ThrowStatement', 'NewExpression', 'ImportDeclaration', 'ExportAllDeclaration'])
const TYPED = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])

function walk(node: Node, { depth }: { readonly depth: number }, visit: (node: Node) => void): void {
  if (SAID.has(node.type) || (node.type.startsWith('TS') && !TYPED.has(node.type))) return
  if (depth > 0) visit(node)
  const inner = depth + (FUNCTIONS.has(node.type) ? 1 : 0)
  for (const [member, value] of Object.entries(node)) {
    if (member === 'key' && node['computed'] !== true) continue
    if (member === 'right' && node['operator'] === '??' && isNode(value) && value.type === 'Literal') continue
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, { depth: inner }, visit)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}
