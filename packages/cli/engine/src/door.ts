import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join, resolve } from 'node:path'

const ADAPTER = resolve(import.meta.dirname, '../../../conformance/adapters/llama.cpp/dist')

/** llama.cpp behind an OpenAI-style server. */
export interface Door {
  /** Up to /v1. */
  readonly url: string
  /** Which build it is: `b10257`. */
  readonly version: string
  /** The JSON of an answer. @throws Error for any other answer than 200 */
  post(path: string, body: object): Promise<unknown>
  close(): Promise<void>
}

/** The packages with the engine are not here; the message says which. */
export class NoEngine extends Error {}

/** Makes the tiny model. @throws Error with what the generator says */
export async function makeModel(file: string): Promise<void> {
  const child = spawn(process.execPath, [join(ADAPTER, 'make-tiny-model.js'), '--output', file, '--keep', '4300'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = lastOf(child)
  const code = await new Promise((settle) => child.once('close', settle))
  if (code !== 0) throw new Error(said())
}

/**
 * Opens a door in front of a model, with its own template unless another is named.
 *
 * @throws NoEngine where the binding's packages are not installed
 */
export async function openDoor({
  model,
  template,
}: {
  readonly model: string
  readonly template: string | null
}): Promise<Door> {
  const words = ['--model', model, '--port', '0', ...(template === null ? [] : ['--template', template])]
  const child = spawn(process.execPath, [join(ADAPTER, 'main.js'), ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  const url = await addressOf(child)
  return {
    ...{ url, version: await versionOf(url) },
    post: (path, body) => post(url.replace(/\/v1$/, path), body),
    close: async () => {
      const ended = new Promise((settle) => child.once('exit', settle))
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Asks for JSON. @throws Error for any other answer than 200 */
export async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`)
  return JSON.parse(text) as unknown
}

async function versionOf(url: string): Promise<string> {
  const props = (await (await fetch(url.replace(/\/v1$/, '/props'))).json()) as { readonly build_info?: unknown }
  return String(props.build_info ?? 'of an unknown build')
}

function addressOf(child: ChildProcess): Promise<string> {
  const said = lastOf(child)
  return new Promise((settle, fail) => {
    let seen = ''
    child.once('error', fail)
    child.once('close', () => fail(/cannot be loaded/.test(said()) ? new NoEngine(said()) : new Error(said())))
    // The engine logs to the same place: it is read for ever.
    child.stdout?.on('data', (piece: Buffer) => {
      seen = (seen + piece.toString()).slice(-4096)
      const found = /^http:\/\/\S+$/m.exec(seen)
      if (found !== null) settle(found[0])
    })
  })
}

function lastOf(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (piece: Buffer) => (text = (text + piece.toString()).slice(-2000)))
  return () => text.trim() || 'it ended without a word'
}
