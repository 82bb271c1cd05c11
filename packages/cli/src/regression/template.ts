import type { PyDict, PyValue } from '@callspec/python'
import { dumps } from '@callspec/python'
import { compileTemplate } from '@callspec/template'
import { variablesWithDefaults } from '@callspec/template/source'
import type { ChosenFormat } from '../formats.ts'
import { asUserFormat, chooseFormat } from '../formats.ts'
import { exportsOf, importModule } from '../found-files.ts'
import { escapeLoneSurrogates } from '../output.ts'
import { renderFile } from '../render/built-in.ts'
import type { Shape } from '../render/prompt.ts'
import { writePrompt } from '../render/prompt.ts'
import type { Rendering } from '../render/user-format.ts'
import { EncodingError, renderWith, TemplateError } from '../render/user-format.ts'
import { readWrittenRequest, requestForTemplate } from '../request/render-request.ts'
import type { RequestFile } from '../request/request-file.ts'
import { RENDER_SETTINGS } from '../request/settings.ts'
import { openTemplateSource, raiseText } from '../template/source.ts'
import { UsageError } from '../usage-error.ts'
import type { GoldenConfig, TemplateUnderTest } from './config.ts'
import { runCommand } from './run-command.ts'

const DEFAULT_TIME_LIMIT_MS = 10_000

/** Opens the template that the configuration names; null for none. */
export async function readTemplate(config: GoldenConfig): Promise<TemplateUnderTest | null> {
  const { settings, template } = config
  if (template === null) return null
  const { kind, value } = template
  const shape = (settings.text('as') ?? 'chatml') as Shape
  if (kind === 'format') {
    const chosen = await chooseFormat(value, settings.text('profile'))
    const isWhole = chosen.kind === 'format' && settings.text('as') === null
    return formatTemplate(chosen, config, isWhole ? 'text' : shape)
  }
  if (kind === 'module') return moduleTemplate(value, config, shape)
  if (kind === 'template') return chatTemplate(value, config)
  return commandTemplate(value, config, settings.integer('time-limit', { min: 1 }) ?? DEFAULT_TIME_LIMIT_MS)
}

function formatTemplate(chosen: ChosenFormat, config: GoldenConfig, shape: Shape): TemplateUnderTest {
  return {
    name: chosenFormatName(chosen),
    takesOwnMembers: chosen.kind !== 'built-in',
    render: async (file) => promptBytes(await renderFile(file, config.settingsFor(file), chosen), shape),
  }
}

function chosenFormatName(chosen: ChosenFormat): string {
  switch (chosen.kind) {
    case 'built-in':
      return `format ${chosen.id}, qwen-agent@${chosen.profile.name}`
    case 'format':
      return `format ${chosen.path}, ${chosen.version}`
    default:
      return `format ${chosen.path}`
  }
}

/** A module exports `render(request)`, which returns a text or messages, or a `format`. */
async function moduleTemplate(path: string, config: GoldenConfig, shape: Shape): Promise<TemplateUnderTest> {
  const found = await importModule(path)
  const profile = config.settings.text('profile')
  if (found['format'] !== undefined) {
    const format = asUserFormat(found['format'], path)
    return { ...formatTemplate({ kind: 'module', path, format, profile }, config, shape), name: `module ${path}` }
  }
  const render = found['render']
  if (typeof render !== 'function') {
    throw new UsageError(`${path}: no function named "render", and no "format". ${exportsOf(found)}`)
  }
  return {
    name: `module ${path}`,
    takesOwnMembers: true,
    render: async (file) => {
      const request = userRequest(file, config)
      return promptBytes(await renderWith(render as (plain: object) => unknown, request, 'render'), shape)
    },
  }
}

function commandTemplate(command: string, config: GoldenConfig, timeLimitMs: number): TemplateUnderTest {
  return {
    name: `command ${command}`,
    takesOwnMembers: true,
    render: async (file) => {
      const request = `${escapeLoneSurrogates(dumps(userRequest(file, config)))}\n`
      const result = await runCommand(command, request, timeLimitMs)
      if (result.kind === 'failed') throw new TemplateError(result.reason)
      return result.stdout
    },
  }
}

function promptBytes(rendering: Rendering, shape: Shape): Uint8Array {
  const shaped = writePrompt(rendering, shape)
  if (shaped.kind === 'shaped') return Buffer.from(shaped.text)
  const { type, message } = shaped.error
  throw new TemplateError(`the reference raises ${type}${message === '' ? '' : `: ${message}`}`)
}

/** The request with the names of `RenderRequest`, then the fixture's other members. */
function userRequest(file: RequestFile, config: GoldenConfig): PyDict {
  const settings = config.settingsFor(file)
  const request = requestForTemplate(readWrittenRequest(file, settings), settings.text('profile'))
  const known = ['messages', 'tools', ...Object.keys(RENDER_SETTINGS)]
  const own = [...file.members].filter(([name]) => !known.includes(name))
  return new Map<string, PyValue>([...request, ...own.map(([, { key, value }]) => [key, value] as const)])
}

/** A fixed time, so that a prompt with a date does not drift. */
const GOLDEN_TIME = new Date('2026-01-15T12:00:00Z')

/** Members that describe a fixture. */
const REMARKS: ReadonlySet<string> = new Set(['about', 'name', 'id', 'note', '$schema'])

/**
 * A chat template of a model. Messages, tools and further members of a fixture are its variables.
 *
 * @throws UsageError for a file that is not a template, and for a server, which cannot be kept
 */
export async function chatTemplate(path: string, { settings }: GoldenConfig): Promise<TemplateUnderTest> {
  if (/^https?:/i.test(path))
    throw new UsageError(
      `${path}: is no file. callspec template diff compares a template with what a server makes of it.`,
    )
  const source = await openTemplateSource(path, { options: settings, environment: {} })
  if (source.kind !== 'text') throw new UsageError(`${path}: is no file with a template.`)
  const { template, tokens, name, place } = source
  const compiled = compileTemplate(template)
  if (compiled.error !== null) throw new UsageError(raiseText({ name, place }, compiled.error))
  return {
    name: `template ${name}`,
    takesOwnMembers: true,
    render: (file) => {
      const rendering = compiled.render(variablesWithDefaults(fixtureVariables(file), { tokens, forced: new Map() }), {
        now: GOLDEN_TIME,
      })
      if (rendering.kind === 'raised') throw new TemplateError(raiseText({ name, place }, rendering.error))
      if (/\p{Surrogate}/u.test(rendering.text))
        throw new EncodingError('the prompt has a lone surrogate, which UTF-8 cannot carry.')
      return Promise.resolve(Buffer.from(rendering.text))
    },
  }
}

/** Names as the fixture writes them, because a template knows no others. */
function fixtureVariables({ members }: RequestFile): ReadonlyMap<string, PyValue> {
  const entries = [...members].map(([name, { key, value }]) => [DATA.has(name) ? name : key, value] as const)
  return new Map(entries.filter(([key]) => !REMARKS.has(key)))
}

const DATA: ReadonlySet<string> = new Set(['messages', 'tools'])
