import { redactedUrl } from '@callspec/eval'
import type { ModelSources } from '../eval/server-of.ts'
import { isLoopback } from '../eval/endpoint.ts'
import { variableOf } from '../layered-options.ts'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { patientOf } from './patient.ts'
import type { Patient } from './patient.ts'

/** What else is known of the one who asks. */
export interface CarefulOptions {
  /** Whether keys may go over plain http to other machines. */
  readonly allowsHttp: boolean
  readonly output: Output
}

/**
 * The same as `patientOf`, with keys that leave only where the caller named their variable: whoever tries one server after the
 * other has a key of one of them in the environment.
 *
 * @throws UsageError also for a key that would go over plain http
 */
export function carefulPatientOf(
  model: string | null,
  sources: ModelSources,
  { allowsHttp, output }: CarefulOptions,
): Patient | null {
  const { given, environment, options } = sources
  const named = given['api-key-env'] ?? (environment[variableOf('api-key-env')] || options['api-key-env'])
  const { OPENAI_API_KEY: key, ...others } = environment
  if (named !== null && (environment[named] ?? '') === '' && /^\w+$/.test(named))
    throw new UsageError(`the variable ${named}, which is to hold the key, is not set.`)
  const patient = patientOf(model, named === null ? { ...sources, environment: others } : sources)
  if (patient === null) return null
  if (named === null && (key ?? '') !== '' && patient.apiKey === NO_KEY)
    output.note('callspec: no key is sent. To send the one in OPENAI_API_KEY: --api-key-env OPENAI_API_KEY')
  if (!allowsHttp && hasSecret(patient) && isOpenRoad(patient.baseUrl))
    throw new UsageError(
      `the key would go to ${redactedUrl(patient.baseUrl)} in the clear. Give an https address, or say --key-over-http.`,
    )
  return patient
}

const NO_KEY = 'EMPTY'

function hasSecret({ apiKey, headers }: Patient): boolean {
  return apiKey !== NO_KEY || Object.keys(headers).length > 0
}

/** Plain http to another machine. */
function isOpenRoad(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === 'http:' && !isLoopback(baseUrl)
}
