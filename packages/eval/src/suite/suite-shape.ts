import { JSON_OBJECT, JSON_VALUE, oneOf, TEXT, TEXTS, whole } from '../shape/shape.ts'
import type { Member, Shape } from '../shape/shape.ts'
import type { ShapeFault, ShapePath } from '../shape/check-shape.ts'

/** A suite is not what it should be. The message names the place; a reader of files can say which line that is. */
export class SuiteError extends Error {
  /** Keys and indices from the suite to the place. */
  readonly path: ShapePath
  /** The message without the place. */
  readonly reason: string
  /** For an unknown name: the name, and those that are known there. */
  readonly unknown: ShapeFault['unknown']

  constructor(fault: ShapeFault) {
    super(fault.path.length === 0 ? fault.message : `${pathText(fault.path)}: ${fault.message}`)
    this.name = 'SuiteError'
    this.path = fault.path
    this.reason = fault.message
    this.unknown = fault.unknown
  }
}

/** A path as people write it: `tasks[2].verdict.must[0]`. */
export function pathText(path: ShapePath): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('')
}

const LANGUAGE = oneOf(['en', 'zh'])

const CALLS: Shape = {
  kind: 'list',
  of: {
    kind: 'object',
    members: {
      name: { shape: TEXT, required: true },
      args: { shape: JSON_OBJECT, about: 'Must be among the arguments.' },
    },
  },
}

const ANSWER: Shape = {
  kind: 'object',
  members: {
    num: {
      shape: { kind: 'number' },
      about: 'The number that the answer offers last, with its sign; see docs/metrics.md.',
    },
    tol: { shape: { kind: 'number', min: 0 }, about: 'Allowed distance of num. Default: 1e-9.' },
    re: {
      shape: TEXT,
      about: 'A regular expression that must match where nothing negates it, without regard to case.',
    },
    all: { shape: TEXTS, about: 'Texts that must all occur where nothing negates them.' },
    any: { shape: { kind: 'flag' }, about: 'Any text will do.' },
  },
}

const VERDICT: Shape = {
  kind: 'object',
  members: {
    answer: { shape: ANSWER, about: 'What the final text must show. Default: any text.' },
    must: { shape: CALLS, about: 'Calls that must have been made.' },
    order: { shape: oneOf(['seq']), about: 'The calls of "must" in this order.' },
    mustNot: { shape: CALLS, about: 'Calls that must not have been made.' },
    gold: {
      shape: CALLS,
      about: 'Every call that a right run makes, with all its arguments: for precision and recall.',
    },
    minCalls: { shape: whole() },
    maxCalls: { shape: whole(), about: 'Failed calls and calls of unknown tools count too.' },
    maxIdentical: { shape: whole(1), about: 'Longest run of the same call with the same result.' },
    state: {
      shape: {
        kind: 'record',
        of: { kind: 'either', of: [TEXT, { kind: 'number' }, { kind: 'flag' }, { kind: 'null' }] },
      },
      about: 'What must stand at a path of the tools’ state afterwards; null: nothing.',
    },
  },
}

const REFERENCE: Shape = {
  kind: 'object',
  members: {
    plan: {
      shape: {
        kind: 'list',
        of: {
          kind: 'list',
          of: {
            kind: 'object',
            members: { name: { shape: TEXT, required: true }, args: { shape: JSON_OBJECT, required: true } },
          },
        },
      },
      required: true,
      about: 'Turns; in each the calls that are made at once.',
    },
    observations: { shape: TEXTS, required: true, about: 'The result of every planned call, flat.' },
    final: { shape: TEXT, required: true, about: 'An answer that passes.' },
  },
}

const TASK: Shape = {
  kind: 'object',
  members: {
    id: { shape: TEXT, required: true },
    category: { shape: TEXT, about: 'Groups tasks in reports. Default: task.' },
    lang: { shape: LANGUAGE, about: 'Default: en.' },
    query: { shape: TEXT, required: true, about: 'The only user message.' },
    tools: { shape: TEXTS, required: true, about: 'Names of the offered tools, in prompt order.' },
    verdict: { shape: VERDICT, about: 'When the task counts as done.' },
    reference: { shape: REFERENCE, about: 'How the task can be solved.' },
    max_llm_calls: { shape: whole(1, 1000), about: 'Calls of the model before the episode is stopped. Default: 20.' },
    loop_guard: {
      shape: { kind: 'object', members: { max_identical: { shape: whole(1) } } },
      about: 'max_identical: longest run of the same call with the same result that is allowed. Default: 2.',
    },
    note: { shape: TEXT, about: 'Why the task exists.' },
  },
}

const TOOL_MEMBERS: Readonly<Record<string, Member>> = {
  description: {
    shape: {
      kind: 'either',
      of: [TEXT, { kind: 'object', members: { en: { shape: TEXT }, zh: { shape: TEXT } } }],
    },
    required: true,
    about: 'What the model reads, in one language or in each.',
  },
  parameters: { shape: JSON_OBJECT, required: true, about: 'JSON Schema of the arguments.' },
  recorded: {
    shape: {
      kind: 'list',
      of: {
        kind: 'object',
        members: { args: { shape: JSON_OBJECT, required: true }, result: { shape: JSON_VALUE, required: true } },
      },
    },
    about: 'What the tool answered once, by arguments.',
  },
  run: { shape: { kind: 'function' } },
}

/** A tool under its name. */
const TOOL_SHAPE: Shape = { kind: 'object', members: TOOL_MEMBERS }
/** A tool in a list. */
const NAMED_TOOL_SHAPE: Shape = {
  kind: 'object',
  members: { name: { shape: TEXT, required: true }, ...TOOL_MEMBERS },
}

/** The tools of a suite, or what a module of tools exports. */
export const TOOLS_SHAPE: Shape = {
  kind: 'either',
  of: [
    { kind: 'list', of: NAMED_TOOL_SHAPE },
    { kind: 'record', of: TOOL_SHAPE },
  ],
}

/** A suite as users write it: `SuiteDefinition`. */
export const SUITE_SHAPE: Shape = {
  kind: 'object',
  members: {
    name: { shape: TEXT, about: 'Shown in reports. Default: the name of the file.' },
    version: { shape: TEXT, about: 'Goes into reports; runs of different versions are compared with a warning.' },
    about: { shape: TEXT },
    tools: { shape: TOOLS_SHAPE, about: 'Tools of the suite, beside the 21 built-in ones.' },
    toolsModule: { shape: TEXT, about: 'An ES module, beside this file, that exports "tools".' },
    tasks: { shape: { kind: 'list', of: TASK, min: 1 }, required: true },
  },
}
