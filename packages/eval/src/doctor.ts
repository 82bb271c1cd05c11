/*
 * Examines a server: what its model and its parser lose of tool calls.
 */
export { doctorJson, doesHang, examine } from './doctor/doctor.ts'
export type { DoctorReport } from './doctor/doctor.ts'
export type { PredictedReply, PredictReply } from './doctor/judge-predicted.ts'
export { examineApis } from './doctor/examine-apis.ts'
export type { Finding as DoctorFinding, ScriptFinding } from './doctor/finding.ts'
export { quickSuite } from './doctor/scripts.ts'
export { PLAIN_PROBE, SCHEMA_PROBES, schemaSuite } from './doctor/schema-probes.ts'
export type { PartPath, ProbedTool, SchemaProbe } from './doctor/schema-probes.ts'
export { FORCED_TOKENS, probeSchemas } from './doctor/probe-schemas.ts'
export type {
  ForcedVerdict,
  SchemaAnswer,
  SchemaAnswers,
  SchemaQuestion,
  ServerVerdict,
} from './doctor/probe-schemas.ts'
