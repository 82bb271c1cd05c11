/** Whether a path has characters that a glob gives a meaning to. */
export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path)
}

/**
 * Gives the folder where the search begins (`''` for the current one) and a test for paths relative to it, with `/`.
 *
 * `*` and `?` stay within one name, `**` spans folders, `[abc]` is one of these characters, `{a,b}` one of these words.
 */
export function readGlob(pattern: string): { readonly folder: string; readonly matches: (path: string) => boolean } {
  const steps = pattern.split('/')
  const fixed = steps.slice(0, -1).findIndex(isGlob)
  const depth = fixed === -1 ? steps.length - 1 : fixed
  const rest = steps.slice(depth).join('/')
  const expression = compile(`^${translate(rest)}$`)
  const folder = steps.slice(0, depth).join('/')
  return {
    folder: folder === '' && pattern.startsWith('/') ? '/' : folder,
    matches: (path) => expression?.test(path) ?? false,
  }
}

/** Null for a set that cannot be, such as `[z-a]`: it matches nothing, as in a shell. */
function compile(expression: string): RegExp | null {
  try {
    return new RegExp(expression, 'u')
  } catch {
    return null
  }
}

const TOKEN = /\*\*\/|\*\*|\*|\?|\[(?:[!^]?\]?[^\]]*)\]|\{[^{}]*\}|[\s\S]/gu

function translate(pattern: string): string {
  return (pattern.match(TOKEN) ?? []).map(translateToken).join('')
}

function translateToken(token: string): string {
  if (token === '**/') return '(?:.*/)?'
  if (token === '**') return '.*'
  if (token === '*') return '[^/]*'
  if (token === '?') return '[^/]'
  if (token.length > 1 && token.startsWith('[')) {
    const negated = /^\[[!^]/.test(token)
    return `[${negated ? '^' : ''}${escape(token.slice(negated ? 2 : 1, -1))}]`
  }
  if (token.length > 1 && token.startsWith('{')) {
    return `(?:${token.slice(1, -1).split(',').map(translate).join('|')})`
  }
  return escape(token)
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, (character) => `\\${character}`)
}
