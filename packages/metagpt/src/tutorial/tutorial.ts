import {
  fill,
  className,
  isLiteralDict,
  isLiteralList,
  isTagged,
  repr,
  str,
  Raise,
  textOfPieces,
} from '@callspec/python'
import type { PyCodePoints, PyLiteral, PyLiteralDict } from '@callspec/python'
import { TUTORIAL_ASSISTANT } from '../class-paths.ts'
import type { RoleSetting } from '../prefix.ts'
import { CONTENT_PROMPT, DIRECTORY_PROMPT } from './templates.ts'

/** What a tutorial assistant has written so far. */
export interface TutorialState {
  readonly topic: string
  /** Whatever the model gave as `title`; nothing obliges it to be text. */
  readonly mainTitle: PyLiteral
  /** The Markdown document. */
  readonly document: string
  /**
   * Offsets in the document between two halves of a character that the title spells apart: Python keeps them apart, in a
   * JavaScript string they are one character. Such a document cannot be written. Absent: none.
   */
  readonly halves?: readonly number[]
}

/** A tutorial assistant that has written nothing. */
export const NO_TUTORIAL: TutorialState = { topic: '', mainTitle: '', document: '' }

/** The tutorial assistant's own account of itself (MetaGPT spec §6). */
export const TUTORIAL_SETTING: RoleSetting = {
  name: 'Stitch',
  profile: 'Tutorial Assistant',
  goal: 'Generate tutorial documents',
  constraints: "Strictly follow Markdown's syntax, with neat and standardized layout",
  description: '',
  classPath: TUTORIAL_ASSISTANT,
}

/** The prompt that asks for the table of contents. */
export function directoryPrompt(topic: string, { language }: { readonly language: string }): string {
  return fill(DIRECTORY_PROMPT, { topic, language })
}

/** The prompt that asks for one chapter; the entry is shown as a Python literal. */
export function contentPrompt(
  topic: string,
  chapter: { readonly language: string; readonly directory: PyLiteralDict },
): string {
  return fill(CONTENT_PROMPT, { topic, language: chapter.language, directory: repr(chapter.directory) })
}

/**
 * The document with its title, and then the chapters that the table of contents plans.
 *
 * The title is there even if the chapters raise: TypeError without `directory` or for a chapter that is not a map's
 * value that can be gone through, ValidationError for a chapter that is no map, IndexError for an empty one.
 */
export function titled(tutorial: TutorialState, titles: PyLiteralDict): TutorialState {
  const mainTitle = titles.get('title') ?? null
  const before = `${tutorial.document}# `
  const halves = [...(tutorial.halves ?? []), ...halvesIn(mainTitle).map((at) => before.length + at)]
  return { ...tutorial, mainTitle, document: before + str(mainTitle), halves }
}

/** Only a title that is a text itself shows them; inside of a list or a map they are printed as escapes. */
function halvesIn(title: PyLiteral): readonly number[] {
  if (!isTagged(title) || title.kind !== 'code-points') return []
  const halves: number[] = []
  let at = 0
  title.codePoints.forEach((code, index) => {
    const next = title.codePoints[index + 1]
    at += code > 0xffff ? 2 : 1
    if (isHigh(code) && next !== undefined && isLow(next)) halves.push(at)
  })
  return halves
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}

/** The document as Python has it: a text, or its code points where a JavaScript string would say something else. */
export function documentLiteral({ document, halves = [] }: TutorialState): string | PyCodePoints {
  const ends = [...halves, document.length]
  return textOfPieces(ends.map((end, index) => document.slice(ends[index - 1] ?? 0, end)))
}

/** The chapters of a table of contents, in order; see `titled` for what is raised. */
export function chaptersOf(titles: PyLiteralDict): readonly PyLiteralDict[] {
  return itemsOf(titles.get('directory') ?? null).map((entry) => {
    if (!isLiteralDict(entry)) {
      throw new Raise(
        'ValidationError',
        '1 validation error for WriteContent\ndirectory\n  Input should be a valid dictionary',
      )
    }
    const [first] = entry.values()
    if (first === undefined) throw new Raise('IndexError', 'list index out of range')
    // as in the reference: an outline is written here and thrown away; what is left of it is that it can fail.
    for (const section of itemsOf(first)) str(section)
    return entry
  })
}

/** The document with a chapter behind it. Nothing is trimmed. */
export function withChapter(tutorial: TutorialState, text: string): TutorialState {
  const gap = tutorial.document === '' ? '' : '\n\n\n'
  return { ...tutorial, document: tutorial.document + gap + text }
}

/** Where the document is written: `folder`, then the title. As Python's pathlib joins them. */
export function tutorialPath(folder: string, { mainTitle }: TutorialState): string {
  const file = `${str(mainTitle)}.md`
  const joined = file.startsWith('/') ? file : `${folder}/${file}`
  const root = /^\/\/(?!\/)/.test(joined) ? '//' : joined.startsWith('/') ? '/' : ''
  const steps = joined.split('/').filter((step) => step !== '' && step !== '.')
  return root + steps.join('/')
}

/** What a Python `for` goes through. */
function itemsOf(value: PyLiteral): readonly PyLiteral[] {
  if (typeof value === 'string') return [...value]
  if (isLiteralList(value)) return value
  if (isLiteralDict(value)) return [...value.keys()]
  if (typeof value === 'object' && value !== null) {
    if (value.kind === 'tuple' || value.kind === 'set') return value.items
    if (value.kind === 'bytes') return value.bytes.map(BigInt)
    if (value.kind === 'code-points') return value.codePoints.map((code) => String.fromCodePoint(code))
  }
  throw new Raise('TypeError', `'${className(value)}' object is not iterable`)
}
