/** How often each name occurs; names that do not occur are left out. */
export type Counts<Name extends string = string> = Readonly<Partial<Record<Name, number>>>
