import type { World } from './world.ts'

/** Arguments that already agree with the tool's schema. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** What a tool did: data to answer with, and the world afterwards (absent: unchanged). */
export interface ToolEffect {
  readonly result: Readonly<Record<string, unknown>>
  readonly world?: World
}

/** A tool as a pure function. It never throws for arguments that agree with its schema. */
export type Tool = (args: ToolArguments, world: World) => ToolEffect

/** An error is data: the model reads it and may recover. */
export function failed(code: string, message: string): ToolEffect {
  return { result: { error: { code, message } } }
}

/** The text under a name; empty when it is not a text, which the schema has excluded. */
export function text(args: ToolArguments, name: string): string {
  const value = args[name]
  return typeof value === 'string' ? value : ''
}

/** The number under a name; NaN when it is not one, which the schema has excluded. */
export function number(args: ToolArguments, name: string): number {
  const value = args[name]
  return typeof value === 'number' ? value : NaN
}
