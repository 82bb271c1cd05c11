import type { Options } from '../command.ts'
import type { ChosenFormat, WholeFormat } from '../formats.ts'
import { readConversation } from '../request/conversation.ts'
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
  if (chosen.kind === 'format') return renderWhole(file, chosen)
  const request = readWrittenRequest(file, settings)
  if (chosen.kind === 'built-in') return inFile(file, () => renderBuiltIn(chosen.id, chosen.profile, request))
  const { format, path, profile } = chosen
  const { render } = format
  if (render === undefined) throw new UsageError(`${path}: format "${format.id}" has no "render"; it can only parse.`)
  return renderWith((plain) => render.call(format, plain), requestForTemplate(request, profile), `${path}: render`)
}

/** Every member of the file that is no setting of ours is an option of the format. */
function renderWhole(file: RequestFile, { format, version, path }: WholeFormat): Rendering {
  if (format.prompt === null) throw new UsageError(`${path}: the format has no prompt of its own; it can only read.`)
  const outcome = format.prompt(readConversation(file), version)
  return outcome.kind === 'prompted'
    ? { kind: 'parts', parts: outcome.parts }
    : { kind: 'rejected', error: { type: 'Refused', message: outcome.reason } }
}
