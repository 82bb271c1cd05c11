import { fileURLToPath } from 'node:url'

/** The workspace. */
export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url))
