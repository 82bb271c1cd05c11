import { atFirst, calling } from './culprit.ts'
import type { Culprit } from './culprit.ts'

/** Our own settings of the evaluation. */
export const SETUP_CULPRITS: readonly Culprit[] = [
  ...(['native', 'fncall-nous', 'fncall-qwen', 'react', 'role-react'] as const).map((protocol): Culprit => ({
    what: '--max-calls 1 stops a model that calls',
    ...{ blames: 'setup', cause: 'max-calls-too-small', formats: [protocol], maxCalls: 1 },
    evidence: 'and the task takes 1 call and an answer: set --max-calls 2',
  })),
  ...(['react', 'fncall-qwen'] as const).map((protocol): Culprit => ({
    what: '--stops off lets the text go on',
    ...{ blames: 'setup', cause: 'stops-off', formats: [protocol], stops: 'off', ofTurn: true },
    evidence: 'stop words were not sent, and the text goes on after one, ',
    says: atFirst({
      text: `${calling(protocol).text}\n${protocol === 'react' ? 'Observation: 5\nThought: so\nFinal Answer: 5' : '✿RESULT✿: 5\n✿RETURN✿: It is 5.'}`,
    }),
  })),
]
