export { localRequestFault } from '@callspec/labels'
export type { LocalRequestFault } from '@callspec/labels'
