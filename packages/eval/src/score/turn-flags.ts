import { repeatsItself } from './repetition.ts'
import type { TurnFlag } from '@callspec/labels'
import type { ReadCall } from '../reading/call-block.ts'
import type { TurnView } from './view-turn.ts'
import type { TaskLanguage } from '../trace/task.ts'

const HAN = /\p{Script=Han}/gu
const LATIN_WORDS = /[A-Za-z]{2,}/g
/** Only the beginning is read: nobody changes the language after so much. */
const READ = 4000
const FEWEST = 4

/**
 * Whether an answer is written in another language than the question: Chinese asked, and no Chinese character among four
 * English words or more; English asked, and more Chinese characters than English words. Numbers, dates and names alone are
 * no language.
 */
export function isOtherLanguage(answer: string, asked: TaskLanguage): boolean {
  const text = answer.slice(0, READ)
  const han = text.match(HAN)?.length ?? 0
  const words = text.match(LATIN_WORDS)?.length ?? 0
  return asked === 'zh' ? han === 0 && words >= FEWEST : han >= FEWEST && han > words
}

/** What is worth noting about a completion beside its label. `lenient` says which repairs it would take. */
export function flagsOf(view: TurnView, lenient: TurnView): readonly TurnFlag[] {
  const { reader, visible, reading, blocks, input } = view
  const { before, after } = reader.flagsProse
  const [first, last] = [blocks[0], blocks.at(-1)]
  const calls = reading.calls ?? []
  const { repairs, calls: repaired } = lenient.reading
  const readable = repaired ?? []
  const question = input.question ?? null
  const noted: readonly (readonly [TurnFlag, boolean])[] = [
    ['prose_before', before && first !== undefined && visible.slice(0, first.start).trim() !== ''],
    ['prose_after', after && last !== undefined && visible.slice(last.end).trim() !== ''],
    ['code_fence', repairs.includes('code-fence') || (lenient.reading.intent && isFenced(view))],
    ['multi_call', calls.length > 1],
    ['duplicate_call_in_turn', calls.length > 1 && holdsTwice(calls)],
    ['think_unclosed', view.isUnclosed],
    ['intra_repetition', repeatsItself(input.text)],
    ['wrong_language', isInOtherLanguage(view)],
    ['fullwidth_punct', repairs.includes('full-width')],
    ['case_drift', repairs.includes('tag-case') || repairs.includes('keyword-case')],
    ['action_and_final', reader.saysWhenDone && readable.length > 0 && reader.hasFinalForm(visible, question)],
    ['stop_word_kept', view.keptStopWord],
  ]
  return noted.filter(([, holds]) => holds).map(([flag]) => flag)
}

function holdsTwice(calls: readonly ReadCall[]): boolean {
  return new Set(calls.map((call) => JSON.stringify([call.name, call.args]))).size < calls.length
}

/** Whether a fence stands round the call, or inside its marks. */
function isFenced({ blocks, visible }: TurnView): boolean {
  return blocks.length === 0
    ? visible.includes('```')
    : blocks.some(
        ({ json, start }) => json.startsWith('```') || /```[\w-]*\s*$/.test(visible.slice(0, start).slice(-24)),
      )
}

/** Only what the user gets to read counts: a ReAct prompt is English, and so are the thoughts that answer it. */
function isInOtherLanguage({ reader, reading, visible, input }: TurnView): boolean {
  if (input.language === undefined || reading.intent || input.failed) return false
  const question = input.question ?? null
  return isOtherLanguage(reader.finalText(visible, question), input.language)
}
