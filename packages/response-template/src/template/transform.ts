import { className, isDict, isList, repr } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { TemplateRaise } from './fault.ts'
import type { TemplateField } from './response-template.ts'

const WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]'
const PLACEHOLDER = new RegExp(`^\\{(${WORD}+(?:\\.${WORD}+)*)\\}$`, 'u')
const INNER_PLACEHOLDER = new RegExp(`\\{${WORD}+(?:\\.${WORD}+)*\\}`, 'u')

/** The path that a string of a transform names, or null if it is copied as it is. */
export function placeholderPath(text: string): readonly string[] | null {
  const match = PLACEHOLDER.exec(text)
  return match === null ? null : (match[1] ?? '').split('.')
}

/** Whether a string has a placeholder and other text, too: the template is refused. */
export function isMixedPlaceholder(text: string): boolean {
  return INNER_PLACEHOLDER.test(text) && placeholderPath(text) === null
}

/**
 * The value of a region after its transform (spec §5).
 *
 * @param captures named groups of the opener that took part
 */
export function transformed(field: TemplateField, content: PyValue, captures: ReadonlyMap<string, string>): PyValue {
  const { transform, name } = field
  if (transform === null) return content
  if (!transform.isForEach)
    return filled(transform.value, new Map<string, PyValue>([...captures, ['content', content]]))
  if (!isList(content)) {
    throw new TemplateRaise(
      'each-not-a-list',
      `Field '${name}': transform_each requires the parsed content to be a list, got ${className(content)}.`,
    )
  }
  return content.map((item) => {
    if (!isDict(item)) {
      throw new TemplateRaise(
        'each-not-an-object',
        `Field '${name}': transform_each requires each item to be a dict, got ${className(item)}.`,
      )
    }
    return filled(transform.value, new Map<string, PyValue>([...captures, ...item]))
  })
}

function filled(value: PyValue, scope: PyDict): PyValue {
  if (isList(value)) return value.map((item) => filled(item, scope))
  if (isDict(value)) return new Map(Array.from(value, ([key, item]) => [key, filled(item, scope)] as const))
  if (typeof value !== 'string') return value
  const path = placeholderPath(value)
  return path === null ? value : lookUp(value, path, scope)
}

function lookUp(placeholder: string, path: readonly string[], scope: PyDict): PyValue {
  const [root = '', ...members] = path
  const found = scope.get(root)
  if (found === undefined) {
    throw new TemplateRaise(
      'placeholder',
      `transform placeholder '${placeholder}' is not defined. Available: ${keysOf(scope)}`,
      'KeyError',
    )
  }
  let value = found
  for (const member of members) {
    if (!isDict(value)) {
      const got = className(value)
      throw new TemplateRaise(
        'placeholder-index',
        `transform placeholder '${placeholder}' cannot index into ${got} at '${member}'`,
      )
    }
    const inner = value.get(member)
    if (inner === undefined) {
      throw new TemplateRaise(
        'placeholder-key',
        `transform placeholder '${placeholder}' is missing key '${member}'. Available: ${keysOf(value)}`,
      )
    }
    value = inner
  }
  return value
}

function keysOf(dict: PyDict): string {
  return repr(Array.from(dict.keys()).toSorted())
}
