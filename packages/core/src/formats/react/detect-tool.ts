import { strip } from '@callspec/python'
import { lastOf } from '../span.ts'
import { ACTION, ACTION_INPUT, OBSERVATION } from './tokens.ts'

/** One step of a ReAct reply. */
export interface DetectedTool {
  readonly hasAction: boolean
  /** The tool to use; null without an action. */
  readonly action: string | null
  readonly actionInput: string | null
  /** The text before the action; the whole text without one. */
  readonly thought: string
}

/** Where the markers of an action stand in a text. */
export interface ActionMarkers {
  readonly action: number
  readonly input: number
  /** Where an observation begins that the model wrote itself; null where it wrote none. */
  readonly observation: number | null
}

/**
 * Finds the action in what a model wrote (spec §12, `_detect_tool`).
 *
 * The last `Action:` and the last `Action Input:` count, whatever lies between them, and only at the start of a line that
 * is not the first (spec Q19).
 */
export function detectTool(text: string): DetectedTool {
  const markers = findAction(text)
  if (markers === null) return { hasAction: false, action: null, actionInput: null, thought: text }
  const input = text.slice(markers.input + ACTION_INPUT.length, markers.observation ?? text.length)
  return {
    hasAction: true,
    action: strip(text.slice(markers.action + ACTION.length, markers.input)),
    actionInput: strip(input),
    thought: text.slice(0, markers.action),
  }
}

/** The markers of the action, or null without one. Linear. */
export function findAction(text: string): ActionMarkers | null {
  const input = lastOf(text, ACTION_INPUT)
  if (input < 0) return null
  const action = lastOf(text, ACTION)
  if (action < 0 || action >= input) return null
  const observation = lastOf(text, OBSERVATION)
  return { action, input, observation: observation < input ? null : observation }
}
