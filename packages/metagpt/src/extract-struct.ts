import { readLiteral, isLiteralDict, isLiteralList, Raise } from '@callspec/python'
import type { PyLiteral, PyLiteralDict } from '@callspec/python'
import { characterNames } from '@callspec/unicode-names'

/** What is asked for: the type `dict` or `list`, or a type by its name, which the reference takes for neither. */
export type StructType = 'dict' | 'list' | { readonly named: string }

/** How the error of `extractStruct` begins when the structure cannot be read. */
export function structErrorPrefix(type: StructType): string {
  return `Error while extracting and parsing the ${typeText(type)}: `
}

/**
 * Reads the structure that begins at the first `{` and ends at the last `}` (with `list`: `[` and `]`) as a Python
 * literal (MetaGPT spec §7). If either is missing the result is empty. A dict and a list are both accepted, regardless of the requested type.
 *
 * Raises Exception for what is no literal or another structure, and a bare TypeError for a key that cannot be one.
 * Linear.
 */
export function extractStruct(text: string, type: StructType): PyLiteralDict | readonly PyLiteral[] {
  const [open, close] = type === 'list' ? ['[', ']'] : ['{', '}']
  const start = text.indexOf(open)
  const end = text.lastIndexOf(close)
  if (start < 0 || end < 0) return type === 'list' ? [] : new Map()
  const value = readSlice(text.slice(start, end + 1), type)
  if (isLiteralDict(value) || isLiteralList(value)) return value
  throw new Raise('Exception', `${structErrorPrefix(type)}The extracted structure is not a ${typeText(type)}.`)
}

function readSlice(slice: string, type: StructType): PyLiteral {
  try {
    return readLiteral(slice, characterNames)
  } catch (error) {
    if (!(error instanceof Raise) || !WRAPPED.has(error.type)) throw error
    throw new Raise('Exception', structErrorPrefix(type) + error.message)
  }
}

/** as in the reference: `except (ValueError, SyntaxError)`, so a TypeError escapes as it is. */
const WRAPPED: ReadonlySet<string> = new Set(['ValueError', 'SyntaxError', 'UnicodeEncodeError'])

function typeText(type: StructType): string {
  return typeof type === 'string' ? `<class '${type}'>` : type.named
}
