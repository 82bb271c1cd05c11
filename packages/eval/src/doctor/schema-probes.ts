/** One tool, the part of it that is examined, and a question that tempts the model to break it. */
export interface SchemaProbe {
  /** A keyword, or what is special about the tool. Never renamed: programs read it. */
  readonly id: string
  readonly tool: ProbedTool
  /** Where the examined parts are in `parameters`; empty for the names and descriptions of the tool. */
  readonly parts: readonly PartPath[]
  /** Texts that the prompt must contain, for a probe without parts. */
  readonly texts: readonly string[]
  /** Sent with the tool; asks for arguments that the schema forbids, where there are some. */
  readonly question: string
  /** Arguments that fit. Only simulated models read them. */
  readonly fitting: Readonly<Record<string, unknown>>
}

/** As MCP servers and requests describe it; without `parameters` it takes none. */
export interface ProbedTool {
  readonly name: string
  readonly description: string
  readonly parameters?: Schema
}

/** Keys from the root of `parameters`. */
export type PartPath = readonly (string | number)[]

type Schema = Readonly<Record<string, unknown>>

interface ProbeParts {
  readonly ask: string
  readonly fitting: unknown
  readonly at?: readonly string[]
  readonly root?: Schema
}

/** The tool has one required property, `value`, with this schema; `at` names the examined keywords in it. */
function valueProbe(id: string, schema: Schema, { ask, fitting, at = [id], root = {} }: ProbeParts): SchemaProbe {
  const parameters = { type: 'object', properties: { value: schema }, required: ['value'], ...root }
  return {
    id,
    tool: { name: 'save_value', description: 'Saves one value.', parameters },
    parts: at.map((key) => (key in root ? [key] : ['properties', 'value', key])),
    texts: [],
    question: `Call save_value. ${ask}`,
    fitting: { value: fitting },
  }
}

const HARD_DESCRIPTION = 'Says "hi" <now> & it\'s done.\nSecond line: {x} \\ 你好.'
const PLACE = {
  type: 'object',
  properties: { zone_name: { type: 'string' } },
  required: ['zone_name'],
  additionalProperties: false,
}
const NODE = {
  type: 'object',
  properties: { label: { type: 'string' }, child_nodes: { type: 'array', items: { $ref: '#/$defs/tree_node' } } },
  required: ['label'],
  additionalProperties: false,
}

/** The tool without anything special: if it fails, no other says anything. */
export const PLAIN_PROBE: SchemaProbe = valueProbe(
  'plain',
  { type: 'string' },
  { ask: 'The value is hello.', fitting: 'hello', at: ['type'] },
)

/** The parts of JSON Schema that real tools use, one tool each, in the order of the report. */
export const SCHEMA_PROBES: readonly SchemaProbe[] = [
  {
    id: 'no parameters',
    tool: { name: 'ring_bell', description: 'Rings the bell. Takes nothing.' },
    parts: [],
    texts: ['ring_bell'],
    question: 'Call ring_bell with loud set to true.',
    fitting: {},
  },
  {
    id: 'empty properties',
    tool: {
      name: 'ring_bell',
      description: 'Rings the bell. Takes nothing.',
      parameters: { type: 'object', properties: {}, additionalProperties: false },
    },
    parts: [],
    texts: ['ring_bell'],
    question: 'Call ring_bell with loud set to false.',
    fitting: {},
  },
  valueProbe(
    'nested object',
    { type: 'object', properties: { inner: PLACE }, required: ['inner'], additionalProperties: false },
    { ask: 'The value is the text Oslo.', fitting: { inner: { zone_name: 'Oslo' } }, at: ['properties'] },
  ),
  valueProbe(
    'list',
    { type: 'array', items: { type: 'integer' } },
    { ask: 'The value is the list of the words one and two.', fitting: [1, 2], at: ['items'] },
  ),
  valueProbe(
    'list of objects',
    { type: 'array', items: PLACE },
    { ask: 'The value is the list of the numbers 1 and 2.', fitting: [{ zone_name: 'Oslo' }], at: ['items'] },
  ),
  valueProbe(
    '$ref',
    { $ref: '#/$defs/place_of_call' },
    {
      ask: 'The value is the number 7.',
      fitting: { zone_name: 'Oslo' },
      root: { $defs: { place_of_call: PLACE } },
    },
  ),
  valueProbe(
    '$defs',
    { $ref: '#/$defs/outer_place' },
    {
      ask: 'The value is the number 8.',
      fitting: { inner: { zone_name: 'Oslo' } },
      root: {
        $defs: {
          outer_place: {
            type: 'object',
            properties: { inner: { $ref: '#/$defs/place_of_call' } },
            required: ['inner'],
          },
          place_of_call: PLACE,
        },
      },
    },
  ),
  valueProbe(
    'recursive $ref',
    { $ref: '#/$defs/tree_node' },
    {
      ask: 'The value is a tree: root with the leaves 1 and 2, as numbers.',
      fitting: { label: 'root', child_nodes: [{ label: '1' }] },
      at: ['$ref', '$defs'],
      root: { $defs: { tree_node: NODE } },
    },
  ),
  valueProbe('anyOf', { anyOf: [{ type: 'integer' }, PLACE] }, { ask: 'The value is the text seven.', fitting: 7 }),
  valueProbe('oneOf', { oneOf: [{ type: 'integer' }, PLACE] }, { ask: 'The value is the text eight.', fitting: 7 }),
  valueProbe(
    'allOf',
    { allOf: [PLACE, { type: 'object' }] },
    { ask: 'The value is the text Lima.', fitting: { zone_name: 'Oslo' } },
  ),
  valueProbe('nullable', { type: 'integer', nullable: true }, { ask: 'The value is the text nine.', fitting: null }),
  valueProbe(
    'list of types',
    { type: ['integer', 'null'] },
    { ask: 'The value is the text ten.', fitting: null, at: ['type'] },
  ),
  valueProbe(
    'enum of texts',
    { type: 'string', enum: ['celsius', 'fahrenheit'] },
    { ask: 'The value is kelvin.', fitting: 'celsius', at: ['enum'] },
  ),
  valueProbe(
    'enum of numbers',
    { type: 'integer', enum: [240, 360, 480] },
    { ask: 'The value is 721.', fitting: 360, at: ['enum'] },
  ),
  valueProbe('const', { const: 'version_two' }, { ask: 'The value is version_one.', fitting: 'version_two' }),
  valueProbe(
    'pattern',
    { type: 'string', pattern: '^[A-Z]{3}-[0-9]{4}$' },
    { ask: 'The value is ticket 12.', fitting: 'ABC-1234' },
  ),
  valueProbe('minLength', { type: 'string', minLength: 12 }, { ask: 'The value is hi.', fitting: 'a text of more' }),
  valueProbe('maxLength', { type: 'string', maxLength: 5 }, { ask: 'The value is extraordinary.', fitting: 'short' }),
  valueProbe(
    'maxLength 65536',
    { type: 'string', maxLength: 65536 },
    { ask: 'The value is good morning.', fitting: 'hello', at: ['maxLength'] },
  ),
  valueProbe('format', { type: 'string', format: 'date' }, { ask: 'The value is tomorrow.', fitting: '2026-01-31' }),
  valueProbe('minimum', { type: 'integer', minimum: 18 }, { ask: 'The value is 3.', fitting: 20 }),
  valueProbe('maximum', { type: 'integer', maximum: 30 }, { ask: 'The value is 400.', fitting: 20 }),
  valueProbe(
    'minItems',
    { type: 'array', items: { type: 'integer' }, minItems: 3 },
    { ask: 'The value is a list of the one number 5.', fitting: [1, 2, 3] },
  ),
  {
    ...valueProbe(
      'additionalProperties: false',
      { type: 'string' },
      {
        ask: 'The value is hello, and set urgent to true as well.',
        fitting: 'hello',
        root: { additionalProperties: false },
      },
    ),
    parts: [['additionalProperties']],
  },
  valueProbe(
    'additionalProperties: schema',
    { type: 'object', additionalProperties: { type: 'integer' } },
    { ask: 'The value has x set to the text one.', fitting: { x: 1 }, at: ['additionalProperties'] },
  ),
  valueProbe(
    'default',
    { type: 'string', default: 'as_before' },
    { ask: 'The value is good evening.', fitting: 'hello' },
  ),
  {
    ...valueProbe(
      '$schema',
      { type: 'string' },
      {
        ask: 'The value is good night.',
        fitting: 'hello',
        root: { $schema: 'http://json-schema.org/draft-07/schema#' },
      },
    ),
    parts: [['$schema']],
  },
  {
    id: 'optional property',
    tool: {
      name: 'save_value',
      description: 'Saves one value.',
      parameters: {
        type: 'object',
        properties: { value: { type: 'string' }, remark_text: { type: 'string' } },
        required: ['value'],
      },
    },
    parts: [['required']],
    texts: [],
    question: 'Call save_value with the remark_text hello and without a value.',
    fitting: { value: 'hello' },
  },
  {
    id: 'names not ASCII',
    tool: {
      name: 'save_value',
      description: 'Saves one value.',
      parameters: { type: 'object', properties: { größe_大小: { type: 'integer' } }, required: ['größe_大小'] },
    },
    parts: [],
    texts: ['größe_大小'],
    question: 'Call save_value with größe_大小 set to the text seven.',
    fitting: { größe_大小: 7 },
  },
  {
    id: 'names with dots',
    tool: {
      name: 'archive.store-entry',
      description: 'Saves one value.',
      parameters: {
        type: 'object',
        properties: { 'owner.nickname': { type: 'string' } },
        required: ['owner.nickname'],
      },
    },
    parts: [],
    texts: ['archive.store-entry', 'owner.nickname'],
    question: 'Call archive.store-entry with owner.nickname set to the number 7.',
    fitting: { 'owner.nickname': 'seven' },
  },
  {
    id: 'descriptions',
    tool: {
      name: 'save_value',
      description: HARD_DESCRIPTION,
      parameters: {
        type: 'object',
        properties: { value: { type: 'string', description: HARD_DESCRIPTION } },
        required: ['value'],
      },
    },
    parts: [],
    texts: [HARD_DESCRIPTION],
    question: 'Call save_value. The value is goodbye.',
    fitting: { value: 'hello' },
  },
]

/** The probes as a suite with reference plans, so that simulated models answer each one correctly. */
export function schemaSuite(): Readonly<Record<string, unknown>> {
  const probes = [PLAIN_PROBE, ...SCHEMA_PROBES]
  const tasks = probes.map(({ id, question, tool, fitting }) => ({
    id,
    category: 'schemas',
    lang: 'en',
    query: question,
    tools: [tool.name],
    reference: { plan: [[{ name: tool.name, args: fitting }]], observations: [], final: 'Hello!' },
    verdict: {},
  }))
  return { version: 1, tools: Object.fromEntries(probes.map(({ tool }) => [tool.name, tool])), tasks }
}
