import { fill, className, isLiteralDict, isLiteralList, repr, str, Raise } from '@callspec/python'
import type { PyLiteral, PyLiteralDict } from '@callspec/python'
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
  return { ...tutorial, mainTitle, document: `${tutorial.document}# ${str(mainTitle)}` }
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
