/** What a person is shown to review a plan or a result (MetaGPT spec §5.2). `causeBy` is that of the newest message. */
export function reviewPrompt(causeBy: string): string {
  return (
    `This is a <task> review. Please review output from ${causeBy}\n${INSTRUCTION}\n` +
    'If you want to terminate the process, type: exit\nPlease type your review below:\n'
  )
}

/** What a person's reply to a review means. */
export interface Review {
  readonly text: string
  readonly isExit: boolean
  readonly isConfirmed: boolean
  /** Whether the person confirmed and said more, which changes the plan. */
  readonly asksForMore: boolean
  readonly asksForRedo: boolean
}

/** Reads a reply. `redo` counts in lower case only, the other words in any. */
export function readReview(text: string): Review {
  const lower = text.toLowerCase()
  return {
    text,
    isExit: lower === 'exit',
    isConfirmed: CONTINUE_WORDS.has(lower) || lower.includes(CONFIRM),
    asksForMore: lower.includes(CONFIRM) && lower !== CONFIRM,
    asksForRedo: text.includes('redo'),
  }
}

/** What an automatic review says: nothing but whether it confirms. */
export function automaticReview(isConfirmed: boolean): Review {
  return { text: '', isExit: false, isConfirmed, asksForMore: false, asksForRedo: false }
}

const CONFIRM = 'confirm'
const CONTINUE_WORDS: ReadonlySet<string> = new Set([CONFIRM, 'continue', 'c', 'yes', 'y'])
const INSTRUCTION =
  "If you want to change, add, delete a task or merge tasks in the plan, say 'change task task_id or current task, ... (things to change)' If you confirm the output from the current task and wish to continue, type: confirm"
