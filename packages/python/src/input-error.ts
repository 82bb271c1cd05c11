/**
 * The caller's data is wrong: an unknown role, a tool without description. Thrown at the border, before work begins.
 *
 * `where` names the place in the caller's terms, such as `messages[2].role` or `tools[0].description`.
 */
export class InputError extends Error {
  readonly where: string

  constructor(where: string, message: string) {
    super(`${where}: ${message}`)
    this.name = 'InputError'
    this.where = where
  }
}
