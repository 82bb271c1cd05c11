/**
 * Plays single-turn cases and prints what they took: `node run-loop.js PORT CASES WIDTH [FOLDER]`. With a folder everything
 * is written that a run writes.
 */
import { makeSuite, runEval } from '../dist/index.js'

const [, , port, cases, width, reports] = process.argv
const passes = 10
const definition = {
  tools: [
    {
      name: 'get_weather',
      description: 'Gives the weather of a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      recorded: [{ args: { city: 'Paris' }, result: 'clear' }],
    },
  ],
  tasks: Array.from({ length: Number(cases) / passes }, (_, at) => ({
    id: `task ${at}`,
    lang: 'en',
    query: `What is the weather in city ${at}? ${'Take your time. '.repeat(20)}`,
    tools: ['get_weather'],
    verdict: { must: [{ name: 'get_weather', args: { city: 'Paris' } }] },
    max_llm_calls: 1,
  })),
}
const suite = makeSuite(definition, { name: 'single-turn' })

const cpu = process.cpuUsage()
const began = performance.now()
const summary = await runEval({
  models: ['m'],
  formats: ['fncall-nous'],
  suite,
  repeat: passes,
  concurrency: Number(width),
  baseUrl: `http://127.0.0.1:${port}/v1`,
  stream: false,
  reports: reports ?? null,
})
const wallMs = performance.now() - began
const { user, system } = process.cpuUsage(cpu)
const [row] = summary.rows
if (row?.episodes !== Number(cases) || row.rates.strict_parse_rate.rate !== 1) throw new Error(JSON.stringify(row))
const rssMb = process.resourceUsage().maxRSS / 1024
console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000, rssMb }))
process.exit()
