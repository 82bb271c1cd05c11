/** What no mutant is made of, as rules of syntax that hold for all of our code: each says why no test could be asked for it. */
export const LEFT_OUT = {
  /** What is said of an error is for people, and no test asks for every word of it; imports are no behaviour. */
  nodes: new Set(['ThrowStatement', 'NewExpression', 'ImportDeclaration', 'ExportAllDeclaration']),
  /** Most of these numbers and texts are there for the types, which do not know that no place of a list is empty. */
  literalsBehind: new Set(['??']),
  /** Beside a number such as 1e-6 nothing that is computed lies exactly on the bound, so `<` and `<=` are one. */
  boundsAtFractions: new Set(['<', '<=', '>', '>=']),
} as const
