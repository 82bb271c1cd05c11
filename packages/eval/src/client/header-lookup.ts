/** The headers of an answer, by their names in small letters. */
export interface HeaderLookup {
  get(name: string): string | null
}
