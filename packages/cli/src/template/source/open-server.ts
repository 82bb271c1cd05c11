import { durationFrom } from '../../duration.ts'
import { checkUrl } from '../../eval/endpoint.ts'
import { headersOf } from '../../eval/headers.ts'
import { clause, sentence } from '../../sentence.ts'
import { UsageError } from '../../usage-error.ts'
import { chooseTemplate } from './choose-template.ts'
import { askDoor, shownAddress } from './server-door.ts'
import type { DoorAnswer, ServerAddress } from './server-door.ts'
import { answerText, createTemplateServer } from './template-server.ts'
import type { TemplateServer } from './template-server.ts'
import { DEFAULT_NAME } from './template-source.ts'
import type { NamedTemplate, ServerSource, SourceInvocation, SpecialTokens, TemplateSource } from './template-source.ts'

const TRIAL = '{"messages":[{"role":"user","content":"Hi."}]}'

/**
 * Finds out how much a server shows of its template: the text in llama-server's `/props`, else prompts through its
 * `/apply-template`, else the number of tokens of a prompt in the usage of a reply.
 *
 * @throws UsageError for a server that is away, or shows nothing of it
 */
export async function openServer(url: string, { options, environment }: SourceInvocation): Promise<TemplateSource> {
  checkUrl(url)
  const server: ServerAddress = {
    url,
    apiKey: environment[options.text('api-key-env') ?? 'OPENAI_API_KEY'] || null,
    headers: headersOf({}, { header: options.list('header'), environment }),
    timeoutMs: durationFrom('--timeout', options.text('timeout') ?? '20', { min: 1, max: 600_000 }),
  }
  return openServerAt(server, { name: options.text('name'), wanted: options.text('model') })
}

/** The same for an address that was read elsewhere. */
export async function openServerAt(
  server: ServerAddress,
  { name, wanted }: { readonly name: string | null; readonly wanted: string | null },
): Promise<TemplateSource> {
  const address = shownAddress(server.url)
  const props = await askDoor(server, { path: '/props' })
  if (props.kind === 'silent') throw new UsageError(`${address}: no server answers (${props.reason}). Is it running?`)
  const templates = templatesIn(props)
  if (templates.length > 0) {
    const chosen = chooseTemplate(address, templates, name)
    const others = templates.filter((each) => each !== chosen).map((each) => each.name)
    return {
      kind: 'text',
      name: others.length === 0 ? address : `${address}#${chosen.name}`,
      place: chosen.place,
      template: chosen.text,
      tokens: tokensIn(props),
      specials: [],
      others,
      server: createTemplateServer(server, { address, model: wanted, view: 'text' }),
    }
  }
  return openWithoutText(server, { address, wanted, props })
}

interface Closed {
  readonly address: string
  readonly wanted: string | null
  readonly props: DoorAnswer
}

async function openWithoutText(server: ServerAddress, { address, wanted, props }: Closed): Promise<TemplateSource> {
  const create = (model: string | null, view: 'prompts' | 'token-counts'): ServerSource => ({
    kind: 'server',
    name: address,
    server: createTemplateServer(server, { address, model, view }),
  })
  const prompts = create(wanted, 'prompts')
  const applied = await prompts.server.applyTemplate(TRIAL)
  if (applied.kind === 'rendered') return prompts
  const counts = create(wanted ?? (await firstModel(server)), 'token-counts')
  const counted = await counts.server.countTokens(TRIAL)
  if (counted.kind === 'counted') return counts
  throw new UsageError(
    `${address}: shows nothing of its chat template. /props: ${clause(answerText(props))}; /apply-template: ` +
      `${clause(whyNot(applied))}; usage of /v1/chat/completions: ${sentence(whyNot(counted))} Give the template's file instead.`,
  )
}

function whyNot(answer: Awaited<ReturnType<TemplateServer['applyTemplate' | 'countTokens']>>): string {
  if (answer.kind === 'failed') return answer.reason
  return answer.kind === 'raised' ? answer.error.message : 'none'
}

/** llama-server has one for conversations with tools, where the model has. */
const TOOL_USE = 'tool_use'

function templatesIn(props: DoorAnswer): readonly NamedTemplate[] {
  if (props.kind !== 'json' || props.status !== 200) return []
  const named = [
    [DEFAULT_NAME, 'chat_template'],
    [TOOL_USE, 'chat_template_tool_use'],
  ] as const
  return named.flatMap(([name, key]) => {
    const text = props.value[key]
    return typeof text === 'string' && text !== '' ? [{ name, place: `/props ${key}`, text }] : []
  })
}

function tokensIn(props: DoorAnswer): SpecialTokens {
  if (props.kind !== 'json') return {}
  const entries = ['bos_token', 'eos_token'].flatMap((name) => {
    const text = props.value[name]
    return typeof text === 'string' ? [[name, text] as const] : []
  })
  return Object.fromEntries(entries)
}

async function firstModel(server: ServerAddress): Promise<string | null> {
  const answer = await askDoor(server, { path: '/v1/models' })
  const data = answer.kind === 'json' ? answer.value['data'] : null
  const first = Array.isArray(data) ? (data as readonly unknown[])[0] : null
  const id = typeof first === 'object' && first !== null && 'id' in first ? first.id : null
  return typeof id === 'string' ? id : null
}
