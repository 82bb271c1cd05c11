import type { Options } from '../command.ts'
import type { ChosenFormat } from '../formats.ts'
import type { RequestFile } from '../request/request-file.ts'
import { inFile, readWrittenRequest, requestForTemplate } from '../request/render-request.ts'
import { UsageError } from '../usage-error.ts'
import { renderBuiltIn } from './built-in.ts'
import type { Rendering } from './prompt.ts'
import { renderWith } from './user-format.ts'

/**
 * Renders the request in a file with a built-in format or one of the user.
 *
 * @throws UsageError with file and line where the request is wrong, TemplateError where the user's format failed
 */
export async function renderFile(file: RequestFile, settings: Options, chosen: ChosenFormat): Promise<Rendering> {
  const request = readWrittenRequest(file, settings)
  if (chosen.kind === 'built-in') return inFile(file, () => renderBuiltIn(chosen.id, chosen.profile, request))
  const { format, path, profile } = chosen
  const { render } = format
  if (render === undefined) throw new UsageError(`${path}: format "${format.id}" has no "render"; it can only parse.`)
  return renderWith((plain) => render.call(format, plain), requestForTemplate(request, profile), `${path}: render`)
}
