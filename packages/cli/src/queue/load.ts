import type * as Queue from '@callspec/queue'
import { messageOf, systemCode, UsageError } from '../usage-error.ts'

/**
 * The package that knows BullMQ. It is not installed with the program, so that only those have it who use it.
 *
 * @throws UsageError where it is missing
 */
export async function loadQueue(): Promise<typeof Queue> {
  try {
    return await import('@callspec/queue')
  } catch (error) {
    if (systemCode(error) !== 'ERR_MODULE_NOT_FOUND' || !messageOf(error).includes('@callspec/queue')) throw error
    throw new UsageError('a queue needs a package of its own: npm install @callspec/queue')
  }
}
