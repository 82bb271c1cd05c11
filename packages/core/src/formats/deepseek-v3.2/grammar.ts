import type { Grammar, ReadName, Transition, ValuePlace } from '../../grammar/grammar.ts'
import { dumps, strip, isJson } from '@callspec/python'
import { END, IS_TEXT, THOUGHT } from './tags.ts'
import type { Tags } from './tags.ts'

/** How replies with these tags are read. */
export function grammarOf({ block, call, argument }: Tags): Grammar {
  const nextKey = new RegExp(`^<${argument} name="([^"\\n]{1,200})" string="(?:true|false)">`, 'gm')
  const stripped: Transition = {
    to: 'block',
    followedBy: [`<${call} name="`, `</${block}>`],
    issue: 'line-feeds-missing',
  }
  return {
    start: 'text',
    thought: 'opened',
    stops: [END],
    common: Object.values(IS_TEXT),
    states: {
      // The prompt has opened the thought; some models open it once more.
      // > Hm.</think>Noon.
      //   ^
      opened: { kind: 'nothing', transitions: { [THOUGHT[0]]: 'thought' }, fallback: 'thought' },
      // > <think>Hm.</think>Noon.
      //          ^
      thought: { kind: 'reasoning', transitions: { [THOUGHT[1]]: 'text' } },
      // Two line feeds belong to the marker, not to the text. A server that strips white space from the content removes them: then
      // the marker counts where a call follows it, for prose about the format may name it.
      // > <think>Hm.</think>Noon.
      //                     ^
      text: {
        kind: 'text',
        transitions: {
          [THOUGHT[0]]: 'thought',
          [`\n\n<${block}>`]: 'block',
          [`\n<${block}>`]: stripped,
          [`<${block}>`]: stripped,
        },
      },
      // > \n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>
      //                             ^                                         ^
      block: {
        kind: 'nothing',
        mayBeTruncated: true,
        transitions: { [`<${call} name="`]: { to: 'name', opens: true }, [`</${block}>`]: 'text' },
      },
      // > \n\n<｜DSML｜function_calls><｜DSML｜invoke name="f"></｜DSML｜invoke>
      //                                                 ^
      name: { kind: 'name', transitions: { '">': 'body' } },
      // > \n\n<｜DSML｜function_calls><｜DSML｜invoke name="f"></｜DSML｜invoke>
      //                                                    ^
      body: {
        kind: 'nothing',
        transitions: {
          [`<${argument} name="`]: 'key',
          [`</${call}>`]: { to: 'block', closes: true },
          [`</${block}>`]: { to: 'text', interrupts: true },
        },
      },
      // A key may hold quotes: as the maker reads it, it ends where its attribute stands behind one.
      // > \n\n<｜DSML｜function_calls><｜DSML｜invoke name="f"><｜DSML｜parameter name="k" string="true">v</｜DSML｜parameter>
      //                                                                           ^
      key: { kind: 'key', transitions: { '"': { to: 'attribute', followedBy: ['string="', '>'] } } },
      // Whatever else is said of a value: it is a text, and what was said is an issue.
      // > \n\n<｜DSML｜function_calls><｜DSML｜invoke name="f"><｜DSML｜parameter name="k" string="true">v</｜DSML｜parameter>
      //                                                                             ^
      attribute: { kind: 'nothing', transitions: { [IS_TEXT.text]: 'value', [IS_TEXT.json]: 'value', '>': 'value' } },
      // > \n\n<｜DSML｜function_calls><｜DSML｜invoke name="f"><｜DSML｜parameter name="k" string="true">v</｜DSML｜parameter>
      //                                                                                            ^
      value: { kind: 'value', nextKey, transitions: { [`</${argument}>`]: 'body' } },
    },
    readName,
    typeValue,
  }
}

function readName(text: string): ReadName | null {
  return text === '' || text.includes('"') ? null : { name: text, id: null }
}

/** The text says what a value is, no schema does; JSON stands in the arguments as it stood in the reply. */
function typeValue(text: string, { opener }: ValuePlace): string | null {
  if (opener !== IS_TEXT.json) return dumps(text)
  return isJson(strip(text)) ? text : null
}
