import type { ShapeFault, ShapePath } from '../shape/check-shape.ts'

/** A suite is not what it should be. The message names the place; a reader of files can say which line that is. */
export class SuiteError extends Error {
  /** Keys and indices from the suite to the place. */
  readonly path: ShapePath
  /** The message without the place. */
  readonly reason: string
  /** For an unknown name: the name, and those that are known there. */
  readonly unknown: ShapeFault['unknown']

  constructor(fault: ShapeFault) {
    super(fault.path.length === 0 ? fault.message : `${pathText(fault.path)}: ${fault.message}`)
    this.name = 'SuiteError'
    this.path = fault.path
    this.reason = fault.message
    this.unknown = fault.unknown
  }
}

/** A path as people write it: `tasks[2].verdict.must[0]`. */
export function pathText(path: ShapePath): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('')
}
