import { examine } from '../../src/doctor/doctor.ts'
import type { DoctorOptions, DoctorReport } from '../../src/doctor/doctor.ts'
import type { ScriptRow } from '../../src/doctor/finding.ts'

/** A report with scripts. */
export interface QuickReport extends DoctorReport {
  readonly scripts: readonly ScriptRow[]
}

/** `examine` with `quick`. */
export async function examineQuickly(options: DoctorOptions): Promise<QuickReport> {
  const report = await examine({ ...options, quick: true })
  if (report.scripts === null) throw new Error('the quick examination has no scripts')
  return { ...report, scripts: report.scripts }
}
