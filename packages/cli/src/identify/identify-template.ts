import { identifyTemplate } from '@callspec/inspect'
import { createSide } from '@callspec/template/check'
import type { Side } from '@callspec/template/check'
import { USUAL_TOKENS } from '@callspec/template/lint'
import type { Invocation, ExitCode } from '../command.ts'
import { EXIT } from '../command.ts'
import { openCompiledSource } from '../template/source.ts'
import { UsageError } from '../usage-error.ts'
import { printJson, printOne } from './print-identified.ts'

/** `callspec identify --template SOURCE`. */
export async function runIdentifyTemplate(path: string, invocation: Invocation): Promise<ExitCode> {
  const side = await sideOf(path, invocation)
  if (side.by === 'prompt_tokens')
    throw new UsageError(
      `${side.name}: shows only how many tokens a prompt has, no prompt. Give the template's file instead.`,
    )
  const identified = await identifyTemplate(side)
  if (identified.ranking.length === 0)
    throw new UsageError(
      `${side.name}: refuses every conversation with a call. callspec template lint says why, and in which form it takes one.`,
    )
  if (invocation.options.flag('json')) printJson({ id: path, ...identified }, invocation.output)
  else printOne(identified, invocation.output)
  return EXIT.ok
}

async function sideOf(path: string, invocation: Invocation): Promise<Side> {
  const source = await openCompiledSource(path, invocation)
  return createSide(source, { settings: { forced: new Map(), now: new Date() }, tokens: USUAL_TOKENS })
}
