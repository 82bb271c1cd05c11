import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FORMATS } from '@callspec/core'
import { dumps } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { chooseFormat } from '../src/formats.ts'
import { escapeLoneSurrogates } from '../src/output.ts'
import { parseText, pieceReader, USUAL_SETTINGS } from '../src/parse/parse-text.ts'
import { printLargeReply } from '../src/parse/print-large.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const FIXTURES = resolve(import.meta.dirname, '../../../fixtures')
const IDS = FORMATS.map(({ id }) => id)

/** The texts of a format's cases. */
function textsOf(id: string): readonly string[] {
  const folder = join(FIXTURES, id, 'parse')
  return readdirSync(folder).flatMap((name) => {
    const { cases } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      readonly cases: readonly { readonly input: { readonly text?: string } }[]
    }
    // A file cannot have half a character.
    return cases.flatMap(({ input: { text } }) => (text === undefined || /\p{Surrogate}/u.test(text) ? [] : [text]))
  })
}

async function inPieces(id: string, text: string, size: number): Promise<string> {
  const reader = pieceReader(await chooseFormat(id, 'strict'), USUAL_SETTINGS)
  if (reader === null) throw new Error(`${id} is not read in pieces`)
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  )
  let printed = ''
  await printLargeReply(pieces, reader, (piece) => void (printed += piece))
  return printed
}

describe('a large reply', () => {
  it.each(IDS)('of %s is printed as a small one, for every text of its cases, wherever it is cut', async (id) => {
    const chosen = await chooseFormat(id, 'strict')
    const texts = textsOf(id)
    expect(texts.length).toBeGreaterThan(20)
    for (const text of texts) {
      const whole = `${escapeLoneSurrogates(dumps(await parseText(chosen, text, USUAL_SETTINGS), { indent: 2 }))}\n`
      for (const size of [3, 1000]) expect([text, await inPieces(id, text, size)]).toEqual([text, whole])
    }
  })

  it('is printed as a small one with texts and arguments longer than what is escaped at once, and characters of two units', async () => {
    const long = '"a"😀\n'.repeat(30_000)
    const text = `${long}<tool_call>\n${JSON.stringify({ name: 'f', arguments: { long } })}\n</tool_call>${long}`
    const chosen = await chooseFormat('nous', 'strict')

    const whole = `${dumps(await parseText(chosen, text, USUAL_SETTINGS), { indent: 2 })}\n`

    expect((await inPieces('nous', text, 65_521)) === whole).toBe(true)
  })

  const CALL = `<tool_call>\n{"name": "clock", "arguments": {"zone": "Œ", "why": "${'words '.repeat(400)}"}}\n</tool_call>\n`
  const LARGE = CALL.repeat(Math.ceil((4.5 * 2 ** 20) / CALL.length))

  it('is identified by its beginning, printed or written, and says which readings were not compared', async () => {
    const cwd = folderWith({ 'large.txt': LARGE })

    const { code, stdout, stderr } = await inProcess(['parse', 'large.txt'], { cwd })
    const written = await inProcess(['parse', '-', '-o', 'large.json'], { cwd, input: LARGE })

    expect(code).toBe(0)
    const calls = LARGE.length / CALL.length
    expect((JSON.parse(stdout) as { readonly items: readonly unknown[] }).items.length).toBe(calls)
    expect(stderr).toBe(
      'callspec: the text is in the format nous. --format names another one.\n' +
        'callspec: the reply is larger than 4 MB: whether another version of nous reads it otherwise was not looked at. --profile names one.\n',
    )
    expect([written.code, written.stdout, readFileSync(join(cwd, 'large.json'), 'utf8') === stdout]).toEqual([
      0,
      '',
      true,
    ])
  })

  it('that begins with many characters U+FFFD is identified in linear time', async () => {
    const cwd = folderWith({ 'large.txt': `${'\ufffd'.repeat(300_000)}.\n${LARGE}` })

    const { code, stdout } = await inProcess(['parse', 'large.txt'], { cwd })

    expect([code, (JSON.parse(stdout) as { readonly format: string }).format]).toEqual([0, 'nous'])
  })

  it('that is not UTF-8 at its end is refused with its line, and nothing is printed', async () => {
    const cwd = folderWith({ 'large.txt': Buffer.concat([Buffer.from(LARGE), Buffer.from([0xc5])]) })

    const { code, stdout, stderr } = await inProcess(['parse', 'large.txt', '--format', 'nous'], { cwd })

    const line = LARGE.split('\n').length
    expect([code, stdout, stderr]).toEqual([2, '', `callspec: large.txt:${line}: not UTF-8. Save the file as UTF-8.\n`])
  })

  it('is refused with its line where standard input is not UTF-8, and no file is left', async () => {
    const cwd = folderWith({})
    const input = Buffer.concat([Buffer.from(LARGE), Buffer.from([0xc5]), Buffer.from(LARGE)])

    const { code, stderr } = await inProcess(['parse', '-', '--format', 'nous', '-o', 'out.json'], { cwd, input })

    const line = LARGE.split('\n').length
    expect([code, stderr]).toEqual([2, `callspec: stdin:${line}: not UTF-8. Save the file as UTF-8.\n`])
    expect(readdirSync(cwd)).toEqual([])
  })

  it.each(['large.txt', '-'])('is read whole where its format needs that: %s', async (path) => {
    const cwd = folderWith({ 'large.txt': LARGE })

    const { code, stdout } = await inProcess(['parse', path, '--format', 'nous', '--as', 'lines'], {
      cwd,
      input: LARGE,
    })

    expect([code, stdout.split('\n').filter((line) => line.startsWith('call ')).length]).toEqual([
      0,
      LARGE.length / CALL.length,
    ])
  })
})
