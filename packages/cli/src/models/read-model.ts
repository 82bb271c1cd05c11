import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Invocation } from '../command.ts'
import { UsageError } from '../usage-error.ts'
import type { Evidence } from './evidence.ts'
import { nameEvidence } from './name-evidence.ts'
import { evidenceInFolder, tekkenEvidence, templateEvidence } from './read-model-folder.ts'

/**
 * What speaks for the formats of a model.
 *
 * @param model the folder of a model, one file of it, or a name
 * @throws UsageError for a folder or a file that is missing or broken
 */
export async function readModel(model: string, invocation: Invocation): Promise<readonly Evidence[]> {
  const found = await stat(model).catch(() => null)
  if (found?.isDirectory() === true)
    return [...(await evidenceInFolder(model, invocation)), ...nameEvidence(basename(resolve(model)), 'its folder')]
  if (found !== null)
    return basename(model) === 'tekken.json' ? tekkenEvidence(model) : templateEvidence(model, invocation)
  if (/^(?:[./~]|[A-Za-z]:[\\/])/.test(model))
    throw new UsageError(`${model}: no such file or folder. Give the folder of a model, or its name.`)
  return nameEvidence(model, 'its name')
}
