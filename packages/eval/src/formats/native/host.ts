import { toPlain } from '@callspec/python'
import type { PlainValue, PyDict } from '@callspec/python'
import type { Host, HostOptions } from '../host.ts'
import { rawApiHost } from '../qwen-agent-host.ts'

/**
 * The reference's function-calling agent with `use_raw_api`: tools go out as `tools`, calls come back as `tool_calls`,
 * and whose format they have is the server's business.
 */
export function nativeHost(options: HostOptions): Host {
  return { ...rawApiHost(options), usesTools: true, wireMessage }
}

/**
 * A message as servers take it. The reference puts the id of the call under `id` and leaves its own bookkeeping in the
 * message, which OpenAI's server and stricter ones refuse; `tool_call_id` is where they look for it.
 */
function wireMessage(message: PyDict): Readonly<Record<string, PlainValue>> {
  const plain = toPlain(message) as Readonly<Record<string, PlainValue>>
  if (plain['role'] === 'tool')
    return { role: 'tool', tool_call_id: plain['id'] ?? '', content: plain['content'] ?? '' }
  const { extra: _extra, ...rest } = plain
  return rest
}
