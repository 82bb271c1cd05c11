import type { ApiItem } from '@callspec/apis'
import type { SaidReply } from './client-stream.ts'

function reasoning(text: string): ApiItem {
  return { kind: 'reasoning', text }
}

function text(said: string): ApiItem {
  return { kind: 'text', text: said }
}

function call(id: string, name: string, args: string): ApiItem {
  return { kind: 'call', id, name, arguments: args }
}

const USAGE = { input: 20, output: 7 }

const OSLO = call('call_a1', 'get_weather', '{"city": "Oslo"}')
const ROME = call('call_b2', 'get_weather', '{"city": "Rome"}')

function saying(finish: string, ...items: readonly ApiItem[]): SaidReply {
  return { items, finish, usage: USAGE }
}

/** The replies of the streams, by name. All are made up for this purpose. */
export const SAID_REPLIES: Readonly<Record<string, SaidReply>> = {
  text: saying('stop', text('It is noon.')),
  call: saying('tool_calls', OSLO),
  'text-call': saying('tool_calls', text('Let me look.'), OSLO),
  'two-calls': saying('tool_calls', OSLO, ROME),
  'three-calls': saying(
    'tool_calls',
    OSLO,
    call('call_b2', 'clock', '{}'),
    call('call_c3', 'get_weather', '{"city": "Rome"}'),
  ),
  'no-arguments': saying('tool_calls', call('call_a1', 'clock', '{}')),
  'reasoning-text': saying('stop', reasoning('The clock says twelve.'), text('It is noon.')),
  'reasoning-two-calls': saying('tool_calls', reasoning('Two cities.'), text('One moment.'), OSLO, ROME),
  'non-ascii': saying(
    'tool_calls',
    text('Schön: 北京 👋🏽'),
    call('call_a1', 'get_weather', '{"city": "北京", "note": "a \\"b\\" 👍"}'),
  ),
  nested: saying(
    'tool_calls',
    call('call_a1', 'plan', '{"days": [{"at": "9:00", "with": {"a": null, "b": []}}], "ok": true}'),
  ),
  numbers: saying('tool_calls', call('call_a1', 'pay', '{"id": 9007199254740993, "price": 2.50}')),
  blanks: saying('stop', text('\n  Noon.  \n\n')),
  'text-cut': saying('length', text('It is no')),
  'call-cut': saying('length', call('call_a1', 'get_weather', '{"city": "Os')),
  empty: saying('stop'),
  'call-text': saying('tool_calls', OSLO, text('That is all.')),
  'reasoning-twice': saying('tool_calls', reasoning('First.'), text('I will look.'), reasoning('Now the call.'), OSLO),
}
