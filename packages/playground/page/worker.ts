import { answerTo } from '../src/answer.ts'
import type { Question } from '../src/answer.ts'

interface WorkerScope {
  readonly addEventListener: (name: 'message', listener: (event: MessageEvent<Question>) => void) => void
  readonly postMessage: (data: unknown, options: { readonly transfer?: Transferable[] }) => void
}

/** Answers questions for the page, one after the other. */
export function startAnswering(scope: WorkerScope): void {
  scope.addEventListener('message', ({ data }) => scope.postMessage(answerTo(data), {}))
}
