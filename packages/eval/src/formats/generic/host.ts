import { toolsInSystem } from '@callspec/core'
import type { Format } from '@callspec/core'
import type { LoopReducer } from '@callspec/qwen-agent'
import type { Host, HostOptions } from '../host.ts'
import { uncutModel } from '../qwen-agent-host.ts'
import { formatLoop } from './reducer.ts'

/** The host of a format that has a prompt: it asks with raw prompts, whatever the other formats of the run do. */
export function genericHost(format: Format): (options: HostOptions) => Host {
  const { end, handOver, words } = format.stops
  return (options) => {
    const model = uncutModel(options, 'main', [])
    const { tools, maxModelCalls, prompt = 'maker' } = options
    const asked = prompt === 'callspec' ? toolsInSystem(format) : format
    return {
      profile: model.profile,
      loop: formatLoop({ format: asked, model, tools, maxModelCalls }) as LoopReducer<unknown>,
      asksRaw: { end, stop: [...handOver, ...words] },
    }
  }
}
