/**
 * The protocol between the runner and an implementation, version 1. `docs/protocol.md` is its description; what is
 * changed here is changed there, and in `schemas/`.
 */
export { matches, unclaimed } from './protocol/declaration.ts'
export type { Claim, Declaration, Topic } from './protocol/declaration.ts'
export { caseProfile, STRICT, wireProfile } from './protocol/profile-name.ts'
export { PROTOCOL_VERSION, requestLine, runRequest } from './protocol/request.ts'
export type { Request } from './protocol/request.ts'
export { outputProblem, ProtocolError, readAnswer, readDeclaration, readMessage } from './protocol/response.ts'
export type { Answer } from './protocol/response.ts'
export { COARSE_OPERATIONS, isCoarse } from './protocol/coarse-operation.ts'
export type { CoarseOperation } from './protocol/coarse-operation.ts'
