import { callsOf, FORMATS, formatNamed, replyDeltas } from '@callspec/core'
import type { CallItem, Format, PromptOutcome, Reply, ReplyEvent, ReplyItem, ReplyReader } from '@callspec/core'
import { nous } from '@callspec/core/qwen-agent'
import { describe, expect, expectTypeOf, it } from 'vitest'

/*
 * What a program that is checked by a compiler may rely on. Nothing here runs: `pnpm build` and `pnpm lint` compile it, and a type that
 * became another one, or anything at all, is an error there. `@ts-expect-error` is one where the compiler finds nothing wrong.
 */

describe('a format', () => {
  it('is found by any text, or not', () => {
    expectTypeOf(formatNamed).parameter(0).toEqualTypeOf<string>()
    expectTypeOf(formatNamed('nous')).extract<undefined | null>().not.toBeNever()
    expectTypeOf(FORMATS).toEqualTypeOf<readonly Format[]>()
  })

  it('reads a text into items that tell themselves apart', () => {
    expectTypeOf<Format['read']>().returns.toEqualTypeOf<Reply>()
    expectTypeOf<Reply['items']>().toEqualTypeOf<readonly ReplyItem[]>()
    expectTypeOf<ReplyItem['kind']>().toEqualTypeOf<'text' | 'reasoning' | 'call' | 'issue'>()
    expectTypeOf<Extract<ReplyItem, { kind: 'call' }>>().toEqualTypeOf<CallItem>()
    expectTypeOf<CallItem['arguments']>().toEqualTypeOf<string>()
    expectTypeOf<CallItem['id']>().toEqualTypeOf<string | null>()
    expectTypeOf(callsOf).returns.toEqualTypeOf<readonly CallItem[]>()
  })

  it('reads pieces of a reply, and has a prompt or none', () => {
    expectTypeOf<Format['createReader']>().returns.toEqualTypeOf<ReplyReader>()
    expectTypeOf<NonNullable<Format['prompt']>>().returns.toEqualTypeOf<PromptOutcome>()
    expectTypeOf<Format['prompt']>().extract<null>().toEqualTypeOf<null>()
    expectTypeOf(replyDeltas).not.toBeAny()
    expectTypeOf<ReplyEvent>().not.toBeAny()
  })

  it('is not changed by who is given it', () => {
    const [format] = FORMATS
    // @ts-expect-error: members are read, not written
    if (format !== undefined) format.id = 'mine'
    // @ts-expect-error: so are lists
    FORMATS[0] = FORMATS[1]
  })
})

describe('an outcome of nous', () => {
  it('is parsed or rejected, and only the first one has items', () => {
    const outcome = nous.parse('')

    expectTypeOf(outcome).not.toBeAny()
    expectTypeOf(outcome.kind).toEqualTypeOf<'parsed' | 'rejected'>()
    // @ts-expect-error: ask for the kind first
    expect(outcome.items).toBeDefined()
    if (outcome.kind === 'rejected') expectTypeOf(outcome.error.message).toEqualTypeOf<string>()
  })
})
