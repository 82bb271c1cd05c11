import { type Expression, characters, choice, literal, repeat, sequence } from './expression.ts'

/** Ways to write each argument as an element, after the parameter `style` of a structural tag. */
export const ELEMENT_STYLES = [
  'qwen_xml',
  'minimax_xml',
  'glm_xml',
  'deepseek_xml',
  // As xgrammar 0.2.8 reads deepseek_xml: string= follows from the type.
  'deepseek_xml@0.2.8',
  'deepseek_v4_1_xml',
  'kimi_k3_xml',
  'cohere_xml',
] as const

export type ElementStyle = (typeof ELEMENT_STYLES)[number]

/** The JSON types that a schema allows; `any` if it does not say. */
export type ValueType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null' | 'any'

const DIGITS = '0123456789'
const NAME_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const NAME_CHARACTER = characters(NAME_LETTERS, DIGITS)

/** A name that is not declared: a letter or `_`, then letters, digits and `_`. */
export const OTHER_NAME: Expression = sequence(
  characters([0x41, 0x5a], '_', [0x61, 0x7a]),
  repeat(characters([0x30, 0x39], [0x41, 0x5a], '_', [0x61, 0x7a]), 0, null),
)
/** Such a name, but none of the given ones. */
export function otherName(names: readonly string[]): Expression {
  const rest = repeat(NAME_CHARACTER, 0, null)
  const build = (endings: readonly string[], isFirst: boolean): Expression => {
    const next = new Map<string, string[]>()
    for (const name of endings.filter((one) => /^\w/.test(one)))
      next.set(name.charAt(0), [...(next.get(name.charAt(0)) ?? []), name.slice(1)])
    const others = [...(isFirst ? NAME_LETTERS : NAME_LETTERS + DIGITS)].filter((char) => !next.has(char)).join('')
    const parts = [
      sequence(characters(others), rest),
      ...[...next].map(([char, after]) => sequence(literal(char), build(after, false))),
    ]
    return isFirst || endings.includes('') ? choice(...parts) : choice(literal(''), ...parts)
  }
  return build(names, true)
}

const KIMI_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].map(literal)

/** What precedes a value: the opening mark with the argument's name. */
export function elementOpening(style: ElementStyle, name: Expression, type: ValueType, space: Expression): Expression {
  switch (style) {
    case 'qwen_xml':
      return sequence(literal('<parameter='), name, literal('>'))
    case 'minimax_xml':
      return sequence(literal('<parameter name="'), name, literal('">'))
    case 'glm_xml':
      return sequence(literal('<arg_key>'), name, literal('</arg_key>'), space, literal('<arg_value>'))
    case 'deepseek_xml':
      return sequence(
        literal('<｜DSML｜parameter name="'),
        name,
        literal('" string="'),
        choice(literal('true'), literal('false')),
        literal('">'),
      )
    case 'deepseek_xml@0.2.8':
      return sequence(
        literal('<｜DSML｜parameter name="'),
        name,
        literal('" string="'),
        stringFlag(type),
        literal('">'),
      )
    case 'deepseek_v4_1_xml':
      return sequence(
        literal('<｜DSML｜ parameter name="'),
        name,
        literal('" string="'),
        stringFlag(type),
        literal('">'),
      )
    case 'kimi_k3_xml':
      return sequence(literal('<|open|>argument key="'), name, literal('" type="'), kimiType(type), literal('"<|sep|>'))
    default:
      return sequence(literal('<cofl:value name="'), name, literal(`" type="${cohereType(type)}">`))
  }
}

/** Whether `string=` of an element follows from its type; such texts have no white space around them. */
export function hasFlagByType(style: ElementStyle): boolean {
  return style === 'deepseek_xml@0.2.8' || style === 'deepseek_v4_1_xml'
}

function stringFlag(type: ValueType): Expression {
  if (type === 'any') return choice(literal('true'), literal('false'))
  return literal(type === 'string' ? 'true' : 'false')
}

/** The mark that ends a value; text without it is a string. */
export function elementClosing(style: ElementStyle): string {
  switch (style) {
    case 'glm_xml':
      return '</arg_value>'
    case 'deepseek_xml':
    case 'deepseek_xml@0.2.8':
      return '</｜DSML｜parameter>'
    case 'deepseek_v4_1_xml':
      return '</｜DSML｜ parameter>'
    case 'kimi_k3_xml':
      return '<|close|>argument<|sep|>'
    case 'cohere_xml':
      return '</cofl:value>'
    default:
      return '</parameter>'
  }
}

/** An entry of a list in Cohere's style, where lists and objects are elements, too. */
export function cohereItem(type: ValueType): string {
  return `<cofl:value type="${cohereType(type)}">`
}

function cohereType(type: ValueType): string {
  if (type === 'string') return 'raw'
  if (type === 'object') return 'dict'
  return type === 'array' ? 'list' : 'json'
}

// As the maker's template writes it, an integer is a number.
function kimiType(type: ValueType): Expression {
  if (type === 'any') return choice(...KIMI_TYPES)
  return literal(type === 'integer' ? 'number' : type)
}
