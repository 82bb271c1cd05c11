/** Whether an operation is one of MetaGPT's. */
export function isRoleOperation(op: string): boolean {
  return op.startsWith('metagpt.')
}
