import { onAbort } from './on-abort.ts'

/** Waits; rejects with the reason of the signal. Tests hand in one that does not take its time. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>

/** Waits in real time. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      forget()
      resolve()
    }, milliseconds)
    const forget = onAbort(signal, () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    })
  })
}
