import type { Invocation, OptionTable } from '../../command.ts'
import type { TemplateServer } from './template-server.ts'

/** A template whose text is known. */
export interface TextSource {
  readonly kind: 'text'
  /** As errors and tables speak of it: what the caller wrote, with `#NAME` where one of several templates was chosen. */
  readonly name: string
  /** Where in the source the text stands: `chat_template`, `tokenizer.chat_template`, `/props`; empty for a whole file. */
  readonly place: string
  readonly template: string
  /** Variables that the tokenizer gives to its template, such as `bos_token`; empty where the source does not say. */
  readonly tokens: SpecialTokens
  /** Texts that the tokenizer makes one token of, also where a user wrote them; empty where the source does not say. */
  readonly specials: readonly string[]
  /** Names of the source's other templates. */
  readonly others: readonly string[]
  /** The server that showed the text, and can be asked for renderings; null for files. */
  readonly server: TemplateServer | null
}

/** A server that does not show the text of its template, but can be asked what it makes of conversations. */
export interface ServerSource {
  readonly kind: 'server'
  readonly name: string
  readonly server: TemplateServer
}

export type TemplateSource = TextSource | ServerSource

/** `bos_token`, `eos_token` and the like, by the names of the variables. */
export type SpecialTokens = Readonly<Record<string, string>>

/** What a file holds, before one of several templates was chosen. */
export interface TemplateFile {
  readonly templates: readonly NamedTemplate[]
  readonly tokens: SpecialTokens
  readonly specials: readonly string[]
}

/** One of the templates of a source. */
export interface NamedTemplate {
  /** `default` for the one without a name. */
  readonly name: string
  readonly place: string
  readonly text: string
}

export const DEFAULT_NAME = 'default'

/** What a source is opened with: the options of `SOURCE_OPTIONS`, and the environment for keys. */
export type SourceInvocation = Pick<Invocation, 'options' | 'environment'>

/** Options of every command that takes a SOURCE. */
export const SOURCE_OPTIONS: OptionTable = {
  name: { value: 'NAME', help: 'Which of several named templates, such as tool_use. Default: default.' },
  model: { short: 'm', value: 'NAME', help: 'Model of a server. Default: the first one that it lists.' },
  'api-key-env': { value: 'NAME', help: 'Variable that holds the key of a server. Default: OPENAI_API_KEY.' },
  header: {
    value: 'HEADER',
    help: "Send this with every request to a server: 'api-key: ${AZURE_KEY}', where ${NAME} stands for a variable.",
    repeat: true,
  },
  timeout: { value: 'TIME', help: 'Patience for one request to a server: 5s, or seconds. Default: 20s.' },
}
