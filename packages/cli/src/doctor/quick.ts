import { examineQuickly, isQuicklyHealthy, quickJson, quickSuite } from '@callspec/eval'
import { readReferences, startSimServer } from '@callspec/sim'
import type { Invocation } from '../command.ts'
import { announceEndpoints } from '../eval/endpoint.ts'
import { modelSources } from '../eval/server-of.ts'
import type { Surroundings } from '../eval/surroundings.ts'
import type { ExitCode } from '../exit-codes.ts'
import { didYouMean } from '../nearest.ts'
import { carefulPatientOf } from './careful-patient.ts'
import { doctorExit } from './doctor-exit.ts'
import { printQuick } from './print-quick.ts'

/** `callspec doctor --quick`. */
export async function runQuick(
  { output }: Invocation,
  surroundings: Surroundings,
  timeoutMs: number,
): Promise<ExitCode> {
  const { options, own, environment } = surroundings
  const model = own.text('model')
  const careful = { allowsHttp: own.flag('key-over-http'), output }
  const patient = carefulPatientOf(model, modelSources(surroundings), careful)
  if (patient !== null) announceEndpoints([patient.endpoint], { output, isResumed: false })
  const server = patient === null ? await startSimServer({ references: readReferences(quickSuite()) }) : null
  try {
    const simulated = { baseUrl: server?.baseUrl ?? '', apiKey: 'EMPTY', headers: {}, model }
    const report = await examineQuickly({
      ...(patient ?? simulated),
      timeoutMs,
      didYouMean,
      isNameKnown: patient === null,
    })
    if (options.json) output.line(JSON.stringify(quickJson(report), null, 2))
    else printQuick(report, output)
    return doctorExit({ isAsked: report.isAsked, isHealthy: isQuicklyHealthy(report) }, environment)
  } finally {
    await server?.close()
  }
}
