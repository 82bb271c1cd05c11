/** The states of the format to begin with, as code of a grammar, indented by so many blanks. */
export function statesText(indent: number): string {
  return STATES.split('\n')
    .map((line) => ' '.repeat(indent) + line)
    .join('\n')
}

const STATES = `states: {
  // > Let me look. <call>clock<args>{"zone": "UTC"}</call>
  //   ^
  text: { kind: 'text', transitions: { '<call>': { to: 'name', opens: true } } },
  // > <call>clock<args>{"zone": "UTC"}</call>
  //         ^
  name: { kind: 'name', transitions: { '<args>': 'arguments' } },
  // > <call>clock<args>{"zone": "UTC"}</call>
  //                    ^
  arguments: { kind: 'json', transitions: { '</call>': { to: 'text', closes: true } } },
},`
