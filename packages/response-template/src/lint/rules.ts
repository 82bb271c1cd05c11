/** How bad a finding is, as in the lint of chat templates. */
export type Severity = 'error' | 'warning' | 'info'

/** One thing that can be wrong with a response template. */
export interface ResponseRule {
  readonly id: ResponseRuleId
  readonly severity: Severity
  /** What is wrong, of any template, in one sentence. */
  readonly about: string
  readonly remedy: string
}

type Row = readonly [severity: Severity, about: string, remedy: string]

/** Ids of the rules, in the order of reports. */
export const RESPONSE_RULE_IDS = [
  'refused',
  'never-returns',
  'close-group',
  'unknown-placeholder',
  'optional-group',
  'shared-default',
  'text-overwritten',
  'overwritten-by-space',
  'stream-dollar',
  'stream-tail',
  'stream-boundary',
  'stream-alternatives',
  'guessed-types',
  'eaten-space',
  'narrow-name',
  'stop-in-closer',
  'mapping-literal',
  'unused-arguments',
  'value-parser-unknown',
  'no-tag-pattern',
  'value-group-absent',
  'joined-edges',
  'one-bad-call',
  'closer-in-value',
  'unknown-shape',
  'dead-field',
  'unquoted-keys',
  'missing-required',
  'thought-name',
  'anchor-not-in-prompt',
  'roundtrip',
  'prompt-not-prefix',
  'anchor-eats-opener',
] as const

/** The id of a rule. */
export type ResponseRuleId = (typeof RESPONSE_RULE_IDS)[number]

const ROWS: Readonly<Record<ResponseRuleId, Row>> = {
  refused: ['error', 'transformers refuses the template when it loads it.', 'Correct what the message names.'],
  'never-returns': [
    'error',
    'An opener and its closer can both match nothing at one place: the reader never returns.',
    'Let one of the two take a character.',
  ],
  'close-group': [
    'error',
    'A transform uses a group of close_pattern, which never reaches it.',
    'Take the value from the opener or from the content.',
  ],
  'unknown-placeholder': [
    'error',
    'A transform uses a name that is not defined: the first match raises.',
    'Use content, or a group of open_pattern.',
  ],
  'optional-group': [
    'error',
    'A transform uses a group that may take no part, and is then not defined: the reply raises.',
    'Let the group match nothing: (?P<id>\\w*).',
  ],
  'shared-default': [
    'error',
    'A list in defaults grows: calls of one reply appear in the next one.',
    'Leave the list out; a repeated field makes its own.',
  ],
  'text-overwritten': [
    'error',
    'A field that may open twice, and neither repeats nor joins, keeps only its last text.',
    'Add "repeats": true and "join": "".',
  ],
  'overwritten-by-space': [
    'warning',
    'White space after the closer opens the field again and empties it.',
    'Let the closer take the white space: close_pattern with \\s* at its end.',
  ],
  'stream-dollar': [
    'error',
    '$ also matches before a last line feed and hides half a closer: streamed text is lost.',
    'Drop the alternative: a field ends with the reply without it.',
  ],
  'stream-tail': [
    'error',
    'An optional end of a pattern is given up as soon as one character of it is there: a stream gives another message.',
    'Write both ends as alternatives that need the character after them.',
  ],
  'stream-boundary': [
    'error',
    '\\b and \\B look at the end of what has arrived: a stream gives another message.',
    'Name the character that must follow.',
  ],
  'stream-alternatives': [
    'warning',
    'A later complete match of a pattern wins over an earlier one that is still arriving.',
    'Drop the alternative that is a part of the other, or give it a field of its own.',
  ],
  'guessed-types': [
    'warning',
    'A text that looks like JSON changes its type, and the tools cannot undo it.',
    'Leave value_parser out: transformers types texts by the schemas of the tools.',
  ],
  'eaten-space': [
    'warning',
    'White space at the edges of a value is that of the value, and \\s* next to it takes it away.',
    'Take at most the line feed that the format writes: \\n?(?P<value>.*?)\\n?.',
  ],
  'narrow-name': [
    'error',
    'Names or keys with - . / : are not read; every MCP server has some.',
    'Take anything but the delimiter: [^>\\n]+ instead of \\w+.',
  ],
  'stop-in-closer': [
    'error',
    'The stop token is a part of the closer. Servers drop it; then a part of the closer stays in the value and the reply raises.',
    'Close with what the model writes before the stop token, or with the stop token alone.',
  ],
  'mapping-literal': [
    'warning',
    'A string of a transform looks like a placeholder and is none: it is copied as it is.',
    'Write {name} without spaces and hyphens.',
  ],
  'unused-arguments': [
    'warning',
    'content_args has members that no parser reads.',
    'Correct the name, or leave it out.',
  ],
  'value-parser-unknown': [
    'error',
    'value_parser names no parser: the first value raises.',
    'Use text, int, float, bool, json, xml-inline or kv-lines.',
  ],
  'no-tag-pattern': [
    'error',
    'xml-inline has no tag_pattern that can be used: the first value raises.',
    'Give a pattern with the groups key and value.',
  ],
  'value-group-absent': [
    'error',
    'The group value may take no part; then it is null, and the value_parser raises.',
    'Let the group match nothing: =?(?P<value>[^>]*).',
  ],
  'joined-edges': [
    'info',
    'Each part is stripped before it is joined: white space between parts is lost.',
    'Add "content_args": {"strip": false}.',
  ],
  'one-bad-call': [
    'info',
    'One call that cannot be read raises, and the whole message is lost.',
    'allow_non_json keeps the message; the text becomes the call.',
  ],
  'closer-in-value': [
    'info',
    'A region ends at the first closer, also inside of a string.',
    'A response template cannot say otherwise.',
  ],
  'unknown-shape': [
    'warning',
    'Calls do not have the shape {type, function: {name, arguments}}: no typing by tools, and transformers serve fails on them.',
    'Write the transform {"type": "function", "function": {"name": …, "arguments": …}}.',
  ],
  'dead-field': [
    'warning',
    'Of two equal openers the field with the smaller name always wins.',
    'Give the fields different openers, or drop one.',
  ],
  'unquoted-keys': [
    'warning',
    'unquoted_keys finds a key only directly after { or a comma, and inside of quoted strings, too.',
    'Add string_delims for the strings of the format.',
  ],
  'missing-required': ['info', 'optional: false makes a reply raise that only calls.', 'Drop it, or give a default.'],
  'thought-name': [
    'error',
    'The response template writes another member for thoughts than the chat template reads: the next prompt lacks the thought.',
    'Name the field as the chat template does.',
  ],
  'anchor-not-in-prompt': [
    'error',
    'The anchor is not in the prompt: all of the prompt is read as a part of the reply.',
    'Copy the text that the chat template writes before a reply.',
  ],
  roundtrip: [
    'error',
    'What the chat template writes does not come back.',
    'callspec template roundtrip shows all messages.',
  ],
  'prompt-not-prefix': [
    'warning',
    'The prompt that asks for a reply is not the beginning of the conversation with the reply.',
    'Write the same text in both places of the chat template.',
  ],
  'anchor-eats-opener': [
    'warning',
    'The anchor takes the opener that the prompt writes: the thought becomes content.',
    'End the anchor before the opener.',
  ],
}

/** Every rule, in the order of reports. */
export const RESPONSE_RULES: readonly ResponseRule[] = RESPONSE_RULE_IDS.map((id) => {
  const [severity, about, remedy] = ROWS[id]
  return { id, severity, about, remedy }
})
