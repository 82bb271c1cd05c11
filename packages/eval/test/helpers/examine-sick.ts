import { examine } from '../../src/doctor/doctor.ts'
import type { DoctorReport } from '../../src/doctor/doctor.ts'
import type { Check, Finding } from '../../src/doctor/finding.ts'
import { startSickServer } from './sick-server.ts'
import type { Body, Illness, SickServer } from './sick-server.ts'

const sick: SickServer[] = []

/** Closes every server that `serve` and `report` have started. */
export async function closeSick(): Promise<void> {
  await Promise.all(sick.splice(0).map((server) => server.close()))
}

export async function serve(illness: Illness): Promise<SickServer> {
  const server = await startSickServer(illness)
  sick.push(server)
  return server
}

export async function report(illness: Illness, model: string | null = 'm'): Promise<DoctorReport> {
  const { baseUrl } = await serve(illness)
  return examine({ baseUrl, apiKey: 'sk-secret-key-1', model, timeoutMs: 5000 })
}

export function verdict({ findings }: DoctorReport, check: Check): readonly (string | null)[] {
  const found = findings.find((each) => each.check === check)
  return found === undefined ? [] : [found.verdict, found.evidence, found.whatToChange]
}

/** The verdicts that are not "ok". */
export function ills({ findings }: DoctorReport): Readonly<Record<string, Finding['verdict']>> {
  const ill = findings.filter((each) => each.verdict !== 'ok')
  return Object.fromEntries(ill.map((each) => [each.check, each.verdict]))
}

/** Whether a request, of whichever kind, is one to write calls of nous in. */
export const asksForNous = ({ messages, prompt, tools }: Body): boolean =>
  tools !== undefined || `${prompt ?? ''}${messages?.[0]?.content ?? ''}`.includes('<tools>')

/** A model that makes no call unless it is forced to. */
export const SILENT = ({ tools, tool_choice: choice }: Body): string | undefined =>
  tools !== undefined && choice === undefined ? 'It is three hundred ninety one.' : undefined
