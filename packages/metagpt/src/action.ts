import type { PyLiteralDict } from '@callspec/python'
import { unreachable } from '@callspec/python'
import type { MessageFields, RoleMessage } from './message.ts'
import { PLAIN_ACTION, WRITE_CONTENT, WRITE_DIRECTORY, messageText } from './message.ts'

/** Something that a role can do when its state says so (MetaGPT spec §1, §4, §6). */
export type RoleTask =
  /** Runs in the host. `givenAs` says how the role got it: a class shows its Python repr in the list of states. */
  | {
      readonly kind: 'host'
      readonly name: string
      readonly classPath: string
      readonly givenAs?: 'instance' | 'class'
    }
  /** Sends a fixed prompt to the model. */
  | {
      readonly kind: 'ask'
      readonly name: string
      readonly classPath: string
      readonly prompt: string
      readonly givenAs?: 'instance' | 'class'
    }
  /** Asks with the memory and an instruction; prints as `Action`. */
  | { readonly kind: 'instruction'; readonly instruction: string }
  | { readonly kind: 'write-directory'; readonly language: string }
  | { readonly kind: 'write-content'; readonly language: string; readonly directory: PyLiteralDict }

/** What an action gave back. */
export type ActionResult =
  | { readonly kind: 'text'; readonly text: string | null }
  | { readonly kind: 'structured'; readonly content: string; readonly instructContent: PyLiteralDict | null }
  | { readonly kind: 'message'; readonly message: MessageFields }

/** The bare class name, as the states list it for an instance. */
export function actionName(action: RoleTask): string {
  switch (action.kind) {
    case 'host':
    case 'ask':
      return action.name
    case 'instruction':
      return 'Action'
    case 'write-directory':
      return 'WriteDirectory'
    case 'write-content':
      return 'WriteContent'
    default:
      return unreachable(action)
  }
}

/** What the messages of an action have as their cause. */
export function actionClassPath(action: RoleTask): string {
  switch (action.kind) {
    case 'host':
    case 'ask':
      return action.classPath
    case 'instruction':
      return PLAIN_ACTION
    case 'write-directory':
      return WRITE_DIRECTORY
    case 'write-content':
      return WRITE_CONTENT
    default:
      return unreachable(action)
  }
}

/** `0. Foo`, `1. Bar`: the states that a list of actions gives. */
export function stateLines(actions: readonly RoleTask[]): readonly string[] {
  return actions.map((action, at) => `${at}. ${shownName(action)}`)
}

/** The prompt of an instruction: the memory newest first, then the instruction (spec §9). */
export function instructionPrompt(instruction: string, memory: readonly RoleMessage[]): string {
  const lines = memory.toReversed().map((message, at) => `${at}: ${messageText(message)}`)
  return `## History Messages\n${lines.join('\n')}\n\n## Actions\nLanguage: Please use the same language as Human INPUT.\n${instruction}`
}

function shownName(action: RoleTask): string {
  const isClass = 'givenAs' in action && action.givenAs === 'class'
  return isClass ? `<class '${actionClassPath(action)}'>` : actionName(action)
}
