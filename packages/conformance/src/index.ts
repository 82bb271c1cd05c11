export { operations } from './operations/index.ts'
export type { Operation, OperationContext } from './operations/operation.ts'
