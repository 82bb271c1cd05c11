import { isDict, isList } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { readSource } from '../source-text.ts'
import { UsageError } from '../usage-error.ts'
import { readRequestFile } from './request-file.ts'
import type { RequestFile } from './request-file.ts'

/**
 * The tools of the file that `--tools` names: a list, or an object that has one.
 *
 * @throws UsageError for a file that cannot be read, or that holds no list of tools
 */
export async function readToolsFile(path: string): Promise<readonly PyDict[]> {
  return toolsIn(readRequestFile(await readSource(path), 'tools'))
}

/** @throws UsageError for a request without a list of tools */
export function toolsIn(file: RequestFile): readonly PyDict[] {
  const tools = file.members.get('tools')?.value ?? null
  if (isList(tools) && tools.every(isDict)) return tools
  throw new UsageError(
    `${file.place('tools')}: there is no list of tools. Give [{name, parameters}], or {tools: [...]}.`,
  )
}
