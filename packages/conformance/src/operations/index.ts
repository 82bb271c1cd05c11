import { agentOperations } from './agents.ts'
import { chatOperations } from './chat.ts'
import { coarseOperations } from './coarse.ts'
import { conversationOperations } from './conversation.ts'
import { formatOperations } from './formats.ts'
import type { Operation } from './operation.ts'
import { metagptOperations } from './metagpt/index.ts'
import { pythonOperations, tokenizerOperations } from './python.ts'

/** Every operation that the built-in implementation knows, by the `op` of a case. */
export const operations: ReadonlyMap<string, Operation> = new Map([
  ...coarseOperations,
  ...pythonOperations,
  ...formatOperations,
  ...conversationOperations,
  ...chatOperations,
  ...agentOperations,
  ...tokenizerOperations,
  ...metagptOperations,
])
