import type { CallBlock, Repair } from './call-block.ts'

const ACTION = '\nAction:'
const INPUT = '\nAction Input:'
const OBSERVATION = '\nObservation:'
const FINAL_ANSWER = '\nFinal Answer:'

/**
 * The call of a ReAct text as the reference reads it: the last `Action:` and `Action Input:` that begin a line. A final
 * answer behind it is no part of the call; the turn gets a flag.
 */
export function reactBlocks(text: string): readonly CallBlock[] {
  const cut = beforeObservation(text)
  const action = cut.lastIndexOf(ACTION)
  const input = cut.lastIndexOf(INPUT)
  if (action < 0 || input <= action) return []
  const name = cut.slice(action + ACTION.length, input).trim()
  const final = cut.indexOf(FINAL_ANSWER, input)
  const end = final < 0 ? cut.length : final
  return [{ name, json: cut.slice(input + INPUT.length, end).trim(), repairs: [], start: action + 1, end }]
}

/** Whether the text begins an action in the reference's eyes, complete or not. */
export function namesAction(text: string): boolean {
  return text.includes(ACTION)
}

/** The call of a ReAct text whose keywords stand elsewhere or are written otherwise. */
export function looseReactBlocks(text: string): readonly CallBlock[] {
  const cut = beforeObservation(text)
  const inputs = [...cut.matchAll(/(?:action[ _]input|动作输入|行动输入)[ \t]*[:：]/gi)]
  const input = inputs.at(-1)
  if (input === undefined) return []
  const actions = [...cut.slice(0, input.index).matchAll(/(?:action|动作|行动)[ \t]*[:：]/gi)]
  const action = actions.at(-1)
  if (action === undefined) return []
  const name = cut.slice(action.index + action[0].length, input.index).trim()
  const json = cut.slice(input.index + input[0].length).trim()
  const repairs = new Set([...keywordRepairs(cut, action), ...inputRepairs(input[0])])
  return [{ name, json, repairs: [...repairs], start: action.index, end: cut.length }]
}

function inputRepairs(keyword: string): readonly Repair[] {
  const word = keyword.replace(/[ \t]*[:：]$/, '')
  const repairs: Repair[] = []
  if (/^action/i.test(word) && word !== 'Action Input') repairs.push('keyword-case')
  if (!/^action/i.test(word)) repairs.push('localised-keyword')
  if (keyword.endsWith('：')) repairs.push('full-width')
  return repairs
}

function keywordRepairs(text: string, action: RegExpMatchArray): readonly Repair[] {
  const at = action.index ?? 0
  const word = action[0].replace(/[ \t]*[:：]$/, '')
  const repairs: Repair[] = []
  if (at === 0 || text[at - 1] !== '\n') repairs.push('action-line')
  if (/^action$/i.test(word) && word !== 'Action') repairs.push('keyword-case')
  if (!/^action$/i.test(word)) repairs.push('localised-keyword')
  if (action[0].endsWith('：')) repairs.push('full-width')
  return repairs
}

/** What comes after a result is the model's invention; the part before it is what a host acts on. */
function beforeObservation(text: string): string {
  const at = text.indexOf(OBSERVATION)
  return at < 0 ? text : text.slice(0, at)
}
