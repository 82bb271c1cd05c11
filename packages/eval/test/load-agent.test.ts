import { createRequire } from 'node:module'
import { Agent } from 'undici'
import { describe, expect, it } from 'vitest'
import { AGENT_MODULE, agentFrom, loadAgent } from '../src/client/load-agent.ts'

const load = createRequire(import.meta.url)

describe('the agent of undici', () => {
  it('is found without the rest of the package', () => {
    const asked: string[] = []

    agentFrom((name) => {
      asked.push(name)
      return load(name) as unknown
    })

    expect(asked).toEqual([AGENT_MODULE])
    expect(new (loadAgent())({}).dispatch).toBeTypeOf('function')
  })

  it('comes from the package where its module lies elsewhere', () => {
    const found = agentFrom((name) => {
      if (name === AGENT_MODULE) throw new Error('Cannot find module')
      return load(name) as unknown
    })

    expect(found.name).toBe(Agent.name)
    expect(new found({}).dispatch).toBeTypeOf('function')
  })
})
