// Passes traffic on in a process of its own, so that nothing else is in its processor time: `passer.js bare|proxy|recording PORT`.
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRecorder, openNewIn, readTarget, startProxy } from '../dist/index.js'

const [way = '', port = ''] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'callspec-proxy-'))
const recorder = createRecorder({
  openNew: openNewIn(folder),
  onTrouble: (message) => console.error(message),
  // Most files are closed, and can be removed, between two rounds.
  maxFileBytes: 16_000_000,
})

process.send?.({ port: await listen(), folder })
process.on('message', (message) => {
  if (message === 'cpu') process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() })
  else void stop()
})

async function stop() {
  const counts = await recorder.close()
  rmSync(folder, { recursive: true, force: true })
  if (counts.isStopped) console.error(`${way}: the recording stopped, its figures mean nothing.`)
  // Connections that clients keep open would hold the process.
  process.exit(0)
}

async function listen() {
  const target = readTarget(`http://127.0.0.1:${port}`)
  if (way === 'bare') return barePipe()
  const begin = way === 'recording' ? recorder.begin : () => null
  return Number(new URL((await startProxy({ target, port: 0, begin })).url).port)
}

/** What passing on costs at least. */
async function barePipe() {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((client, reply) => {
    const { method, url: path, headers } = client
    const upstream = request({ port, host: '127.0.0.1', agent, method, path, headers }, (response) => {
      reply.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(reply)
    })
    client.pipe(upstream)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server.address().port
}
