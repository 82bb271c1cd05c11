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
