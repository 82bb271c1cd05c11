import { describe, expect, it } from 'vitest'
import { examineTemplate } from '../../src/template/doctor.ts'
import type { ServerAddress } from '../../src/template/server.ts'
import { answering } from '../helpers/answering.ts'
import { inProcess } from '../helpers/in-process.ts'
import { folderWith } from '../helpers/folder.ts'

function at(url: string): ServerAddress {
  return { url: `${url}/v1`, apiKey: 'sk-very-secret-key', headers: {}, timeoutMs: 5000 }
}

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string | null; readonly tool_calls?: object }[]
  readonly tools?: object
}

/** A server that counts the words of what its template shows. */
function counting(shown: (asked: Asked) => string | null): Promise<string> {
  return answering({
    '/v1/chat/completions': (body) => {
      const text = shown(JSON.parse(body) as Asked)
      if (text === null) return { status: 400, body: { error: { message: 'no' } } }
      return { body: { usage: { prompt_tokens: text.split(' ').length } } }
    },
  })
}

describe('the chat template of a server', () => {
  it('is linted by the text that is really loaded', async () => {
    const url = await answering({ '/props': { body: { chat_template: '{{ messages[0].content }}' } } })

    const finding = await examineTemplate(at(url), 'm')

    expect(finding).toMatchObject({ check: 'chat-template', verdict: 'warn' })
    expect(finding.evidence).toMatch(/^sha256 [\da-f]{12}, \/props chat_template: \d+ errors[^:]*: tools-ignored, /)
  })

  it('is linted by prompts where the text is not shown', async () => {
    const url = await answering({ '/apply-template': () => ({ body: { prompt: 'always the same' } }) })

    const { evidence } = await examineTemplate(at(url), 'm')

    expect(evidence).toMatch(/^by the prompts of \/apply-template: .*tools-ignored/)
  })

  it('is examined by numbers of tokens elsewhere: counted and lost parts', async () => {
    const url = await counting(({ messages, tools }) =>
      JSON.stringify([
        messages.map(({ content, tool_calls }) => (tool_calls === undefined ? content : tool_calls)),
        tools,
      ]),
    )

    expect(await examineTemplate(at(url), 'm')).toMatchObject({
      verdict: 'warn',
      evidence:
        'by usage.prompt_tokens counted: the system message, a late system message, tools, arguments of calls, results; ' +
        'not counted: text next to a call',
    })
  })

  it('is well where everything is counted', async () => {
    const url = await counting((asked) => JSON.stringify(asked))

    expect(await examineTemplate(at(url), 'm')).toMatchObject({ verdict: 'ok', whatToChange: null })
  })

  it('may refuse conversations', async () => {
    const url = await counting((asked) =>
      asked.messages.some(({ content }) => content === null) ? null : JSON.stringify(asked),
    )

    const { evidence } = await examineTemplate(at(url), 'm')

    expect(evidence).toContain('refused: tools, arguments of calls, results, text next to a call')
  })

  it('is not known where nothing is shown, and no key is repeated', async () => {
    const url = await answering({
      '/v1/chat/completions': { status: 401, body: { error: { message: 'Wrong key sk-very-secret-key' } } },
    })

    const finding = await examineTemplate(at(url), 'm')
    const { stderr } = await inProcess(['template', 'lint', url], {
      cwd: folderWith({}),
      env: { OPENAI_API_KEY: 'sk-very-secret-key' },
    })

    expect(finding).toMatchObject({ verdict: 'unknown' })
    expect(JSON.stringify(finding) + stderr).not.toContain('secret')
    expect(stderr).toContain('HTTP 401: Wrong key')
  })

  it('is in the report of the doctor', async () => {
    const url = await answering({
      '/props': { body: { chat_template: '{{ messages[0].content }}' } },
      '/v1/models': { body: { data: [{ id: 'm' }] } },
    })

    const { stdout } = await inProcess(['doctor', '--base-url', `${url}/v1`, '--timeout', '5'], { cwd: folderWith({}) })

    expect(stdout).toMatch(/^warn {5}chat-template {3}sha256 /m)
  })
})
