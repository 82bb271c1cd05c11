import { dumps } from '@callspec/python'
import { UsageError } from '../../usage-error.ts'
import type { TemplateServer } from '../source/template-server.ts'
import type { Measure } from './compare-shown.ts'

const WORD = 'one'
/** White space at the ends of a rendered text may be trimmed, and tokens may merge at its edges. */
const SLACK = 2
const RELATIVE_SLACK = 0.01

/**
 * Measures texts by a server that shows numbers of tokens alone: as what a user says, less what the server puts around it.
 * That is found out with plain texts of known length.
 *
 * @param special a special token of the other side's prompts; the server must read it as one in a user's text, too
 * @throws UsageError for a server whose numbers do not add up
 */
export async function calibrate(server: TemplateServer, special: string | null): Promise<Measure> {
  const count = async (text: string): Promise<number> => {
    const messages = [
      new Map([
        ['role', 'user'],
        ['content', text],
      ]),
    ]
    const answer = await server.countTokens(dumps(new Map([['messages', messages]])))
    if (answer.kind === 'counted') return answer.tokens
    const why = answer.kind === 'failed' ? answer.reason : answer.error.message
    throw new UsageError(`${server.address}: does not count a plain text: ${why}`)
  }
  const lengths = [1, 2, 4, 8]
  const counts: number[] = []
  for (const length of lengths) counts.push(await count(Array.from({ length }, () => WORD).join(' ')))
  const [first = 0] = counts
  if (lengths.some((length, index) => counts[index] !== first + length - 1))
    throw new UsageError(
      `${server.address}: its prompt_tokens do not follow its prompts: 1, 2, 4 and 8 words count as ${counts.join(', ')}.`,
    )
  const around = first - 1
  if (special !== null && (await count(`${WORD}${special}${WORD}`)) !== around + 3)
    throw new UsageError(
      `${server.address}: counts ${JSON.stringify(special)} in a user's text as text, so prompts cannot be measured by it. ` +
        'Compare with the file that it was started with.',
    )
  return {
    tokensOf: async (text) => (await count(text)) - around,
    slack: (tokens) => SLACK + Math.floor(tokens * RELATIVE_SLACK),
  }
}

/** The first text that looks like a special token. */
export function specialIn(text: string): string | null {
  return /<[|｜][^\s<>]{1,40}[|｜]>|<(?:s|start_of_turn|bos)>|\[[A-Z_]{2,20}\]/.exec(text)?.[0] ?? null
}
