import fc from 'fast-check'

/** Scripts, emoji, directions and white space as people and models write them: no marker and no JSON. */
// prettier-ignore
export const WORDS: readonly string[] = [
  'Let me look.', 'the time in Oslo', 'It is noon', 'I', 'need', 'OK', 'clock', 'a', 'The tool was used.', '12:00', '3.5',
  '我来查一下。', '现在几点？', '北京', '工具', 'Привет', 'été', 'naïve',
  '😀', '👩‍👩‍👧', '🇳🇴', '👍🏽', 'שלום', 'مرحبا', '\u202eabc\u202c', 'e\u0301', '\u200b',
]

/** What stands between words. */
// prettier-ignore
export const BLANKS: readonly string[] = [
  ' ', ' ', ' ', '\n', '\n\n', '\r\n', '\t', '\u00a0', '\u3000', '\u2028', '\u0085', '\u001c', '\ufeff',
]

/** Pieces of JSON, of Python and of Markdown, whole and broken, that stand where a call's inside should. */
// prettier-ignore
export const RUINS: readonly string[] = [
  '{', '}', '[', ']', '"', '\'', '\\', ':', ',', '{}', '[]', '""', 'null', 'None', 'True', 'NaN', '1e999', '-0', '1.0', '007',
  '{"zone": "UTC"}', '{"zone": "UTC"', '"zone": "UTC"}', '{"zone": "UTC",}', "{'zone': 'UTC'}", '{zone: "UTC"}', '{"a": {"b": [1, {}]}}',
  '{"n": 9007199254740993}', '{"s": "}{][\\"\\\\"}', '{"s": "\\ud83d\\ude00"}', '{"s": "a\nb"}', '// note\n', '/* note */',
  '{"name": "clock", "arguments": {"zone": "UTC"}}', '{"name": "clock", "arguments": {}}', '{"name": "clock"}', '{"arguments": {}}',
  '{"name": 1, "arguments": 2}', '{"name": "f", "arguments": null, "more": 3}', '["name", "arguments"]', '"name arguments"', '5',
  '{"name": "f", "parameters": {}}', '{"name": "f", "arguments": "{\\"a\\": 1}"}',
  '```', '\n```', '```json\n', '```py\nprint(1)\n```', 'clock', 'code_interpreter',
]

/** Code units that are no characters, and characters that some readers take for others. */
// prettier-ignore
export const ODDITIES: readonly string[] = [
  '\ud83d', '\ude00', '\ufffd', '\0', '\u001b', '\u007f', '\u2029', '：', '，', '“', '”', '｛', '＜', '\uffff', '\u00ad',
]

/** A line or two of prose without markers; perhaps empty. */
export function prose(maxWords = 5): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...WORDS, ...BLANKS, ...BLANKS), { maxLength: maxWords })
    .map((pieces) => pieces.join(''))
}

/**
 * Any characters: ASCII, the basic plane, and beyond it. Made of code points and not with `fc.string`, which for texts of
 * all characters takes a second to be built.
 */
export function anyCharacters(options: {
  readonly maxLength: number
  readonly surrogates: boolean
}): fc.Arbitrary<string> {
  const point = fc.oneof(
    fc.integer({ min: 0, max: 0x7f }),
    options.surrogates ? fc.nat(0xff_ff) : fc.oneof(fc.nat(0xd7_ff), fc.integer({ min: 0xe0_00, max: 0xff_ff })),
    fc.integer({ min: 0x1_00_00, max: 0x10_ff_ff }),
  )
  return fc.array(point, { maxLength: options.maxLength }).map((points) => String.fromCodePoint(...points))
}
