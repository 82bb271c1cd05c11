import { FORMATS, formatNamed } from '@callspec/core'
import { versionFor } from '@callspec/core/identify'
import type { Format, ReadOptions, Reply } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/python'
import { isDict } from '@callspec/python'

/** A reply, and how it is to be read. */
export interface ReplyRequest {
  readonly text: string
  /** Empty for `strict`, or the format's first one where it has no such version. */
  readonly version: string
  readonly parallelCalls: boolean
  readonly thoughtInContent: boolean
  readonly tools: readonly PyValue[]
}

/** The format of an id; the first one where nobody has it. */
export function formatOrFirst(id: string): Format {
  const found = formatNamed(id) ?? FORMATS[0]
  if (found === undefined) throw new Error('there is no format')
  return found
}

/** The versions that can read, the default first. */
export function versionsThatRead({ readVersions, versions }: Format): readonly string[] {
  return readVersions ?? versions
}

/** The options of a request, as `callspec parse` fills them in: the reply is cut at the format's own stop words. */
export function readOptions(
  format: Format,
  { version, parallelCalls, thoughtInContent, tools }: Omit<ReplyRequest, 'text'>,
): ReadOptions {
  return {
    version: versionsThatRead(format).includes(version) ? version : versionFor(format),
    parallelCalls,
    thoughtInContent,
    tools: tools.filter((tool): tool is PyDict => isDict(tool)),
    stopWords: 'default',
  }
}

/** What a reply says. */
export function readAs(format: Format, request: ReplyRequest): Reply {
  return format.read(request.text, readOptions(format, request))
}
