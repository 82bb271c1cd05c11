import { parserNames } from '@callspec/core/identify'
import { HOSTED_FORMATS } from '../trace/protocol.ts'
import type { HostedFormat, Protocol } from '../trace/protocol.ts'

/** The hosted format whose calls servers have parsers for: what models write where nobody told them how. */
export const SERVED_PROTOCOL: Protocol = hostedProtocol(({ id }) => parserNames(id)?.vllm.length !== 0)

/** The hosted format in which a model says in words when it is done: none of its markers means anything to a server. */
export const WORDED_PROTOCOL: Protocol = hostedProtocol(({ markers }) => markers.answer !== undefined)

function hostedProtocol(fits: (format: HostedFormat) => boolean): Protocol {
  for (const [protocol, format] of HOSTED_FORMATS) if (fits(format)) return protocol
  throw new Error('callspec: a kind of format has nobody left. Please report this.')
}
