// A worker in a process of its own: node worker-child.mjs '{"url", "baseUrl", "concurrency", "callspec", "skewMs", "keep"}'.
const { url, baseUrl, concurrency, callspec, skewMs, keep = false } = JSON.parse(process.argv[2] ?? '{}')

if (skewMs !== 0) {
  const Real = Date
  // The clock of a machine that is set wrong.
  globalThis.Date = class extends Real {
    constructor(...given) {
      super(...(given.length === 0 ? [Real.now() + skewMs] : given))
    }
    static now() {
      return Real.now() + skewMs
    }
  }
}

const { reachRun, runWorker } = await import('../../dist/worker.js')
const begun = process.cpuUsage()
const drain = new AbortController()
process.once('SIGTERM', () => drain.abort())

const end = await runWorker({
  queue: { url, prefix: 'test' },
  concurrency,
  keep,
  callspec,
  times: { lockMs: 6000, stalledMs: 2000 },
  reach: (run, stop) =>
    reachRun(
      run,
      {
        endpointOf: () => ({ baseUrl, headers: { 'x-worker': String(process.pid) } }),
        ownSuite: null,
      },
      stop,
    ),
  drain: drain.signal,
  signal: new AbortController().signal,
})
const { user, system } = process.cpuUsage()
process.stdout.write(
  `${JSON.stringify({ ...end, cpuMs: (user + system) / 1000, startMs: (begun.user + begun.system) / 1000, rss: process.resourceUsage().maxRSS / 1024 })}\n`,
)
process.exit(0)
