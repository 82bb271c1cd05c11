import { startPage } from './page.ts'
import { startAnswering } from './worker.ts'

// The same script runs in the page and in its worker, so that all of the page is one file.
if (typeof document === 'undefined') startAnswering(self)
else void startPage(document, document.currentScript?.textContent ?? '')
