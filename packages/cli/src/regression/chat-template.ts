import type { PyValue } from '@callspec/python'
import { compileTemplate } from '@callspec/template'
import { variablesWithDefaults } from '@callspec/template/source'
import { EncodingError, TemplateError } from '../render/user-format.ts'
import type { RequestFile } from '../request/request-file.ts'
import { openTemplateSource, raiseText } from '../template/source.ts'
import { UsageError } from '../usage-error.ts'
import type { GoldenConfig } from './config.ts'
import type { Template } from './template-under-test.ts'

/** The clock stands still, so that a prompt with a date does not drift by night. */
const NOW = new Date('2026-01-15T12:00:00Z')

/** Members by which people describe a fixture. */
const REMARKS: ReadonlySet<string> = new Set(['about', 'name', 'id', 'note', '$schema'])

/**
 * A chat template as a model brings it along: messages, tools and further members of a fixture are its variables.
 *
 * @throws UsageError for what is no template, and for a server, which is no file that could be kept
 */
export async function chatTemplate(path: string, { settings }: GoldenConfig): Promise<Template> {
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
      const rendering = compiled.render(variablesWithDefaults(variablesOf(file), { tokens, forced: new Map() }), {
        now: NOW,
      })
      if (rendering.kind === 'raised') throw new TemplateError(raiseText({ name, place }, rendering.error))
      if (/\p{Surrogate}/u.test(rendering.text))
        throw new EncodingError('the prompt has a lone surrogate, which UTF-8 cannot carry.')
      return Promise.resolve(Buffer.from(rendering.text))
    },
  }
}

/** The names are those that the fixture writes: a template knows no others. */
function variablesOf({ members }: RequestFile): ReadonlyMap<string, PyValue> {
  const entries = [...members].map(([name, { key, value }]) => [DATA.has(name) ? name : key, value] as const)
  return new Map(entries.filter(([key]) => !REMARKS.has(key)))
}

const DATA: ReadonlySet<string> = new Set(['messages', 'tools'])
