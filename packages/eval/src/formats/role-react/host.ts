import type { LoopReducer } from '@callspec/qwen-agent'
import type { Host, HostOptions } from '../host.ts'
import { uncutModel } from '../qwen-agent-host.ts'
import { questionOf, roleReactAgent } from './reducer.ts'
import type { RoleReactState } from './reducer.ts'

/** MetaGPT's role as a host. Messages look on the wire as in the newest Qwen-Agent; neither format adds anything to them. */
export function roleReactHost(options: HostOptions): Host {
  const model = uncutModel(options, 'main', [])
  return {
    profile: model.profile,
    // A model of the other formats chooses once per request: what to call, or to answer. So n requests are n choices.
    loop: roleReactAgent({ model, tools: options.tools, maxCalls: options.maxModelCalls }) as LoopReducer<unknown>,
    questionOf: (state) => questionOf(state as RoleReactState),
  }
}
