/** A template that Jinja does not compile. Thrown inside the package only; `compileTemplate` gives it back as data. */
export class TemplateSyntaxError extends Error {
  /** The exception of Jinja or Python. */
  readonly type: SyntaxErrorType
  readonly line: number
  /** UTF-16 offset in the template, or null where only the line is known. */
  readonly at: number | null

  constructor(message: string, place: SourceLocation, type: SyntaxErrorType = 'TemplateSyntaxError') {
    super(message)
    this.name = 'TemplateSyntaxError'
    this.type = type
    this.line = place.line
    this.at = place.at ?? null
  }
}

/**
 * Which exception refuses a template: Jinja's for its grammar, its other one for names that it checks, Python's own for
 * what only the compiled code shows (`break` outside of a loop), for names that its compiler loses, and for nesting.
 */
export type SyntaxErrorType =
  'TemplateSyntaxError' | 'TemplateAssertionError' | 'SyntaxError' | 'ValueError' | 'AssertionError' | 'RecursionError'

/** A place in a template, such as that of a token. */
export interface SourceLocation {
  readonly line: number
  readonly at?: number
}
