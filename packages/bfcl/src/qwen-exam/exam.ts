import { strip } from '@callspec/python'
import type { Tokenizer } from '@callspec/core/qwen-agent'
import { rate } from '@callspec/eval'
import type { Rate } from '@callspec/eval'
import { readExamReply } from './read-reply.ts'
import { rougeL } from './rouge-l.ts'

/** One question of the exam with the reply to it. */
export interface ExamItem {
  /** What the exam expects; for a question that needs no tool, any text without a call. */
  readonly expected: string
  readonly reply: string
  /** Whether the question needs a tool. */
  readonly needsTool: boolean
}

/** Qwen's three figures. */
export interface ExamFigures {
  /** `action_right_rate`: of the questions that need a tool, those with the right one. Published as Tool Selection (Acc). */
  readonly toolSelection: Rate
  /** `action_input_rouge`: the mean over the same questions, 0 to 1; null without one. Tool Input (Rouge-L). */
  readonly inputRougeL: number | null
  /** `bad_rate`: of the questions that need no tool, those with a call all the same. False Positive Error; lower is better. */
  readonly falsePositive: Rate
}

/** Collects items and counts them. */
export interface Exam {
  add(item: ExamItem): void
  figures(): ExamFigures
}

/**
 * Counts as `evaluate_plugin.py` of QwenLM/Qwen does. All three figures are lexical: a call is what has a line that begins with
 * `Action: `, whatever else is wrong with it. Inputs are compared even where the tool is wrong.
 *
 * @param tokenizer that of the model: the second figure depends on how it cuts text
 */
export function createExam(tokenizer: Tokenizer): Exam {
  let [withTool, right, rouge, withoutTool, bad] = [0, 0, 0, 0, 0]
  return {
    add: ({ expected, reply, needsTool }) => {
      const calls = reply.includes('\nAction: ')
      if (!needsTool) {
        withoutTool += 1
        if (calls) bad += 1
        return
      }
      withTool += 1
      const [given, wanted] = [readExamReply(reply), readExamReply(expected)]
      if (calls && strip(given.action).toLowerCase() === strip(wanted.action).toLowerCase()) right += 1
      rouge += rougeL(tokensOf(wanted.input, tokenizer), tokensOf(given.input, tokenizer))
    },
    figures: () => ({
      toolSelection: rate(right, withTool),
      inputRougeL: withTool === 0 ? null : rouge / withTool,
      falsePositive: rate(bad, withoutTool),
    }),
  }
}

/** as in the reference: tokens are joined with blanks and split at white space again, so that one of a blank is gone. */
function tokensOf(text: string, tokenizer: Tokenizer): readonly string[] {
  const decoder = new TextDecoder()
  const tokens = tokenizer.pieces(text).map((piece) => ('special' in piece ? piece.special : decoder.decode(piece)))
  return tokens
    .join(' ')
    .split(/[\s\u001c-\u001f\u0085]+/u)
    .filter((token) => token !== '')
}
