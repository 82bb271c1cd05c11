import { answerTo } from '../src/answer.ts'
import type { Question } from '../src/answer.ts'
import { startPage } from './page.ts'

// The same script runs in the page and in its worker, so that all of the page is one file.
if (typeof document === 'undefined') startAnswering(self)
else void startPage(document, document.currentScript?.textContent ?? '')

interface WorkerScope {
  readonly addEventListener: (name: 'message', listener: (event: MessageEvent<Question>) => void) => void
  readonly postMessage: (data: unknown, options: { readonly transfer?: Transferable[] }) => void
}

/** Answers questions for the page, one after the other. */
function startAnswering(scope: WorkerScope): void {
  scope.addEventListener('message', ({ data }) => scope.postMessage(answerTo(data), {}))
}
