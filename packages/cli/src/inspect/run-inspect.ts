import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CompatDataError, engineAdvice, openCompatData } from '@callspec/compat-data'
import type { EngineAdvice } from '@callspec/compat-data'
import type { InspectSettings, Inspection, ModelFiles, OpenedModel, SendRequest } from '@callspec/inspect'
import {
  answersFor,
  compareModels,
  fetchModel,
  HUB,
  inspectModel,
  isModelName,
  modelAddress,
  openModel,
  previousRevision,
  promptedVersion,
  revisionAddresses,
  requestedAddresses,
  sampleVariables,
  servedModel,
} from '@callspec/inspect'
import type { PlainValue, PyDict } from '@callspec/python'
import { fromPlain } from '@callspec/python'
import { durationFrom } from '../arguments.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import { headersOf } from '../eval/endpoint.ts'
import { variableOf } from '../layered-options.ts'
import { absentModel, readModelFiles } from '../models/read-model.ts'
import { quotedLine } from '../output.ts'
import { readVariablesFile } from '../template/source.ts'
import { listedTools } from '../tool-list.ts'
import { UsageError } from '../usage-error.ts'
import { writeFileAtomically } from '../write-file.ts'
import { fileSender } from './fetch-files.ts'
import { inspectionJson } from './inspection-json.ts'
import type { InspectedModel } from './inspection-json.ts'
import { printInspection } from './print-inspection.ts'

export async function runInspect(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  const [given] = positionals
  if (given === undefined)
    throw new UsageError(
      'callspec inspect needs a MODEL: a folder, one of its files, a .gguf, an address, or owner/name.',
    )
  const against = options.text('against')
  const folder = options.text('output')
  const settings: InspectSettings = {
    variables: await givenVariables(invocation),
    now: new Date(),
  }
  const found = await modelFiles(given, invocation)
  const { files, isFetched } = found
  if (folder !== null && !isFetched)
    throw new UsageError(`-o writes what is fetched, and ${given} is a file here already.`)
  const name = options.text('name')
  const model = await openModel(files, name)
  const other = against === null ? null : await openOther(against, found, invocation)
  if (folder !== null) await writeFiles(folder, files, model)
  const inspection = await inspectModel(model, settings)
  const shown: InspectedModel = {
    given,
    path: isFetched ? folder : sourceOf(given, files),
    inspection,
    engines: advice(inspection),
    difference: other === null ? null : await compareModels(other.model, model),
    against: other,
  }
  if (options.flag('json')) output.line(JSON.stringify(inspectionJson(shown, servedModel(inspection.format)), null, 2))
  else printInspection(shown, output)
  return EXIT.ok
}

/** Instead of a name: the commit before, in which the templates were other ones. */
const PREVIOUS = 'previous'

/** What the other commands are given: of a folder whose template is in a GGUF, that file. */
function sourceOf(given: string, { name, gguf }: ModelFiles): string {
  return gguf === null || basename(name) === gguf.file ? given : join(given, gguf.file)
}

interface OtherCopy {
  readonly model: OpenedModel
  readonly given: string
  /** Where it is here; null if it was fetched. */
  readonly path: string | null
}

async function openOther(against: string, of: FoundFiles, invocation: Invocation): Promise<OtherCopy> {
  const name = invocation.options.text('name')
  if (against !== PREVIOUS || existsSync(PREVIOUS)) {
    const found = await modelFiles(against, invocation)
    return {
      model: await openModel(found.files, name),
      given: against,
      path: found.isFetched ? null : sourceOf(against, found.files),
    }
  }
  const addresses = of.isFetched ? revisionAddresses(of.files) : null
  if (addresses === null)
    throw new UsageError(
      `--against ${PREVIOUS} needs a model that is fetched, owner/name or its page. Name the other copy.`,
    )
  invocation.output.note(`callspec: looks for the commit before with other templates, by ${addresses.commits}`)
  const { revision, files } = await previousRevision(of.files, senderFor(invocation))
  return { model: await openModel(files, name), given: `${addresses.model}@${revision}`, path: null }
}

function advice(inspection: Inspection): readonly EngineAdvice[] {
  try {
    const data = openCompatData()
    return inspection.format.formats.flatMap((id) => {
      const version = promptedVersion(inspection, id)
      return answersFor(engineAdvice(data, version === null ? [id] : [`${id}@${version}`, id]), id, version)
    })
  } catch (error) {
    if (error instanceof CompatDataError) throw new UsageError(error.message)
    throw error
  }
}

/** The sample conversation, or that of the user. */
async function givenVariables({ options }: Invocation): Promise<PyDict> {
  const path = options.text('variables')
  const given = path === null ? sampleVariables() : await readVariablesFile(path)
  const tools = await listedTools({ tools: options.text('tools'), mcp: null })
  const prompted: PyDict = new Map([['add_generation_prompt', true], ...given])
  if (tools === null) return prompted
  const wrapped = tools.map((tool) => ({ type: 'function', function: tool }))
  return new Map([...prompted, ['tools', fromPlain(wrapped as unknown as PlainValue, 'tools')]])
}

interface FoundFiles {
  readonly files: ModelFiles
  readonly isFetched: boolean
}

/** The files of a folder or file, else of an address or of `owner/name`. */
async function modelFiles(given: string, invocation: Invocation): Promise<FoundFiles> {
  const isAddress = /^https?:\/\//i.test(given)
  const own = isAddress ? null : await readModelFiles(given)
  if (own !== null) return { files: own, isFetched: false }
  if (!isAddress && !isModelName(given)) throw absentModel(given)
  const { output, environment } = invocation
  const hub = environment['HF_ENDPOINT']?.trim().replace(/\/+$/, () => '') || HUB
  if (isAddress) checkAddress(given, '')
  else checkAddress(hub, 'HF_ENDPOINT: ')
  const send = senderFor(invocation)
  const address = modelAddress(given, hub)
  if (address.kind === 'wrong') throw new UsageError(`${quotedLine(given)}: ${address.why}`)
  const addresses = requestedAddresses(address)
  output.note(
    `callspec: fetches ${address.kind === 'file' ? address.url : `${addresses.length} files below ${address.base}`}`,
  )
  return { files: await fetchModel(address, send), isFetched: true }
}

/** @throws UsageError for what is no address of http or https, or holds a password, which would be printed */
function checkAddress(url: string, where: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new UsageError(`${where}${quotedLine(url)} is not an http address. Give one such as ${HUB}.`)
  if (parsed.username !== '' || parsed.password !== '')
    throw new UsageError(
      `${where}the address holds a name or password. Send it by --header 'authorization: Basic \${NAME}'.`,
    )
}

function senderFor({ options, environment }: Invocation): SendRequest {
  return fileSender({
    headers: headersOf(
      {},
      // The variable is meant for servers of models.
      { header: options.list('header'), environment: { ...environment, [variableOf('header')]: '' } },
    ),
    timeoutMs: durationFrom('--timeout', options.text('timeout') ?? '20', { min: 1, max: 600_000 }),
  })
}

/** Writes what was fetched; of a GGUF its chat template. */
async function writeFiles(folder: string, { texts, gguf }: ModelFiles, { chat }: OpenedModel): Promise<void> {
  const written = gguf === null ? [...texts] : chat === null ? [] : [['chat_template.jinja', chat.template] as const]
  for (const [name, text] of written) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFileAtomically(path, text)
  }
}
