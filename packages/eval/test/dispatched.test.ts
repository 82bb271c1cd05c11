import type { RequestListener } from 'node:http'
import { Agent } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { dispatched } from '../src/client/dispatched.ts'
import type { Dispatched } from '../src/client/dispatched.ts'
import { canonicalJson } from '../src/text/canonical-json.ts'
import { serve, writeWithoutEnd } from './helpers/serve.ts'

async function ask(baseUrl: string, signal: AbortSignal = new AbortController().signal): Promise<Dispatched> {
  const agent = new Agent()
  onTestFinished(() => agent.destroy())
  return dispatched(agent, { origin: new URL(baseUrl).origin, path: '/', method: 'GET', signal })
}

const MEGABYTE = Buffer.alloc(1 << 20, 'x')

describe('an answer', () => {
  it('comes whole, however it is cut', async () => {
    const origin = await serve((_, response) => {
      response.write('one, ')
      setImmediate(() => response.end('two'))
    })

    const { status, whole } = await ask(origin)

    expect([status, String(await whole(100))]).toEqual([200, 'one, two'])
  })

  it('without a body is empty, not missing', async () => {
    const { whole } = await ask(await serve((_, response) => void response.end()))

    expect(await whole(100)).toEqual(Buffer.alloc(0))
  })

  it('that is larger than wanted is given up', async () => {
    const left = new Promise<void>((resolve) => {
      void serve((_, response) => {
        response.on('close', resolve)
        writeWithoutEnd(response, MEGABYTE)
      }).then(async (origin) => {
        expect(await (await ask(origin)).whole(3 << 20)).toBeNull()
      })
    })

    await left
  })

  it('comes to its end where the rest of it had come before anybody read', async () => {
    const rest = 1000
    const { body } = await ask(await serve((_, response) => void response.end(Buffer.alloc(MEGABYTE.length + rest))))

    // By now reading is paused, and what is left waits in this process.
    await new Promise((resolve) => setTimeout(resolve, 200))
    let bytes = 0
    for await (const part of body) bytes += part.byteLength

    expect(bytes).toBe(MEGABYTE.length + rest)
  })

  it('waits at the server while nobody reads it, and comes when somebody does', async () => {
    const size = 32
    let sent = 0
    const origin = await serve((_, response) => {
      const more = (): void => {
        sent += 1
        if (sent < size) response.write(MEGABYTE, more)
        else response.end()
      }
      more()
    })
    const { body } = await ask(origin)

    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(sent).toBeLessThan(size)
    let bytes = 0
    for await (const part of body) bytes += part.length

    expect(bytes).toBe((size - 1) * MEGABYTE.length)
  })

  it('that is left early closes its connection', async () => {
    await new Promise<void>((resolve, reject) => {
      void serve((_, response) => {
        response.on('close', resolve)
        response.write('one')
      }).then(async (origin) => {
        for await (const part of (await ask(origin)).body) if (part.length > 0) break
      }, reject)
    })
  })

  it('that does not come ends with the reason of the signal', async () => {
    const controller = new AbortController()
    const origin = await serve(() => controller.abort(new Error('enough')))

    await expect(ask(origin, controller.signal)).rejects.toThrow('enough')
  })

  it('that breaks off throws, however it is read', async () => {
    const breaking: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-length': 10 })
      response.write('one', () => response.socket?.destroy())
    }
    const { whole } = await ask(await serve(breaking))
    const { body } = await ask(await serve(breaking))

    await expect(whole(100)).rejects.toThrow('other side closed')
    const read = async (): Promise<void> => {
      for await (const part of body) expect(String(part)).toBe('one')
    }
    await expect(read()).rejects.toThrow('other side closed')
  })
})

describe('canonicalJson', () => {
  it.each([
    [{ b: 1, a: [{ d: null, c: { z: 1, y: 2 } }] }, '{"a":[{"c":{"y":2,"z":1},"d":null}],"b":1}'],
    [{ b: undefined, a: [undefined, NaN], 10: 1, 9: 2 }, '{"9":2,"10":1,"a":[null,null]}'],
    [JSON.parse('{"b":1,"__proto__":{"d":1,"c":2}}') as unknown, '{"__proto__":{"c":2,"d":1},"b":1}'],
    [
      { b: { toJSON: (key: string) => ({ z: key, y: 1 }) }, a: new Date(0) },
      '{"a":"1970-01-01T00:00:00.000Z","b":{"y":1,"z":"b"}}',
    ],
    [undefined, 'null'],
  ])('puts the keys of %j in order', (value, expected) => {
    expect(canonicalJson(value)).toBe(expected)
  })
})
