/*
 * Clients under test: streams of the chat, messages and responses APIs, changed in many ways, and what a client makes of them. `runClient`
 * begins here; the protocol is that of `docs/protocol.md`.
 */
export { isApi } from './client-cases.ts'
export type { ClientCase } from './client-cases.ts'
export { streamText } from './client-stream.ts'
export type { ClientFault, ClientGrade, ClientVerdict } from './judge-client.ts'
export { recordedCase } from './recorded-stream.ts'
export { runClient } from './run-client.ts'
export type { ClientFinding, ClientRequest, ClientResult, ClientRun } from './run-client.ts'
