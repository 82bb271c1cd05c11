import { joinParts } from '../../conversation/conversation.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import type { ItemSpelling } from '../../format/write-items.ts'
import { dumps } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { DSML, THOUGHT } from './tags.ts'
import type { Tags } from './tags.ts'

/** Adds a tag: one token if it has one, and plain text around it. `rest` stands between its name and the bracket. */
export function addTag(writer: PartWriter, tag: string, rest = ''): void {
  const at = tag.indexOf(DSML)
  if (at < 0) return writer.text(`<${tag}${rest}>`)
  writer.text(`<${tag.slice(0, at)}`)
  writer.add(DSML, `${tag.slice(at + DSML.length)}${rest}>`)
}

/** Adds a call; one without arguments has an empty line, as the maker writes it. */
export function addCall(
  writer: PartWriter,
  { call, argument }: Tags,
  { name, given }: { readonly name: string; readonly given: PyDict },
): void {
  addTag(writer, call, ` name="${name}"`)
  for (const [key, value] of given) {
    const [isText, text] = typeof value === 'string' ? ['true', value] : ['false', dumps(value)]
    writer.text('\n')
    addTag(writer, argument, ` name="${key}" string="${isText}"`)
    writer.text(text)
    addTag(writer, `/${argument}`)
  }
  writer.text(given.size === 0 ? '\n\n' : '\n')
  addTag(writer, `/${call}`)
}

/** How replies with these tags are spelt. */
export function spellingOf(tags: Tags): ItemSpelling {
  return {
    thought: { open: THOUGHT[0], close: THOUGHT[1] },
    section: { open: `\n\n<${tags.block}>\n`, close: `\n</${tags.block}>` },
    betweenCalls: '\n',
    call: ({ name }, given) => {
      const writer = partWriter()
      addCall(writer, tags, { name, given })
      return joinParts(writer.parts())
    },
  }
}
