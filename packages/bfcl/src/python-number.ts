const INT = /^[+-]?\d+(?:_\d+)*$/
const FLOAT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/

/** A text as Python's `int()` or else `float()` reads it; null when neither does. Unicode digits are not counted as digits. */
export function pythonNumber(text: string): bigint | number | null {
  const digits = text.trim().replaceAll('_', '')
  // `int` of thousands of digits costs quadratic time, and Python refuses it too.
  if (INT.test(text.trim())) return digits.length <= 4300 ? BigInt(digits.replace(/^\+/, '')) : null
  return FLOAT.test(text.trim()) ? Number(digits) : null
}
