import type { RequestFile } from '../request/request-file.ts'

/** A template under test: makes the bytes of the prompt, or throws a TemplateError that says why it could not. */
export interface Template {
  /** For the heading: `format nous, qwen-agent@main`. */
  readonly name: string
  /** Whether a fixture may hold members of its own for the template, and name a profile. */
  readonly takesOwnMembers: boolean
  render(file: RequestFile): Promise<Uint8Array>
}
