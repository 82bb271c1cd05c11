import { describe, expect, it } from 'vitest'
import { createOutput } from '../src/output.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

function recorded(options: { isTTY: boolean; environment?: Record<string, string> }) {
  const written = { stdout: '', stderr: '' }
  let now = 0
  const sink = (name: 'stdout' | 'stderr') => ({
    isTTY: options.isTTY,
    write: (text: string) => {
      written[name] += text
    },
  })
  const output = createOutput({
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    environment: options.environment ?? {},
    clock: () => now,
  })
  return { written, output, wait: (ms: number) => (now += ms) }
}

describe('output', () => {
  it('keeps results and everything else apart', () => {
    const { written, output } = recorded({ isTTY: false })

    output.write('exact')
    output.line('line')
    output.note('note')
    output.warn('careful')

    expect(written).toEqual({ stdout: 'exactline\n', stderr: 'note\ncallspec: warning: careful\n' })
  })

  it('writes a text of others as it is into a pipe, and spelt out on a terminal', () => {
    const text = 'a\u001b]0;title\u0007b\r\u009bc\u202e\n\td'
    const [pipe, terminal] = [recorded({ isTTY: false }), recorded({ isTTY: true })]

    for (const { output } of [pipe, terminal]) output.verbatim(text)

    expect([pipe.written.stdout, terminal.written.stdout]).toEqual([
      text,
      'a\\u001b]0;title\\u0007b\\u000d\\u009bc\\u202e\n\td\n',
    ])
  })

  it('of callspec render spells controls out on a terminal, and prints them into a pipe', async () => {
    const cwd = folderWith({ 'a.json5': '{ messages: [{ role: "user", content: "a\\x1b[2J\\x9b\\u202eb" }] }' })
    const words = ['render', 'a.json5', '--format', 'phi-4-mini']

    const shown = await inProcess(words, { cwd, isTerminal: true })
    const piped = await inProcess(words, { cwd })

    expect(shown.stdout).toContain('a\\u001b[2J\\u009b\\u202eb')
    expect(piped.stdout).toContain('a\u001b[2J\u009b\u202eb')
  })

  it('is as wide as COLUMNS says, on no terminal too, and never too narrow to read', () => {
    const wide = (COLUMNS: string) => recorded({ isTTY: false, environment: { COLUMNS } }).output.columns

    expect([wide('132'), wide('7'), wide('x'), wide('')]).toEqual([132, 40, 80, 80])
  })

  it('quotes on stderr what cannot touch the terminal', () => {
    const { written, output } = recorded({ isTTY: true })

    output.note('a\u001b[2Jb\nc')
    output.warn('\u0007')

    expect(written.stderr).toBe('a\\u001b[2Jb\nc\ncallspec: warning: \\u0007\n')
  })

  it.each([
    ['shows no progress in a pipe', { isTTY: false }, false, ''],
    ['shows none in a pipe of CI', { isTTY: false, environment: { CI: '1' } }, false, ''],
    ['does not flood a pipe that wants it', { isTTY: false }, true, 'step 10\nstep 20\n'],
    ['does not flood the log of a terminal', { isTTY: true, environment: { CI: '1' } }, false, 'step 10\nstep 20\n'],
  ])('%s', (_, sink, inPipes, shown) => {
    const { written, output, wait } = recorded(sink)

    for (let step = 0; step < 25; step += 1) {
      output.progress(`step ${step}`, { inPipes })
      wait(1000)
    }

    expect(written.stderr).toBe(shown)
  })

  it.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])(
    'sends no escape at all with %j, and still rewrites the line',
    (environment) => {
      const { written, output } = recorded({ isTTY: true, environment })

      output.progress('10 of 20')
      output.progress('2 of 2')
      output.line(output.paint('bold', 'done'))
      output.warn('careful')

      expect(written).toEqual({
        stdout: 'done\n',
        stderr: '\r10 of 20\r2 of 2  \r        \rcallspec: warning: careful\n',
      })
    },
  )

  it('rewrites one line on a terminal, and wipes it before anything else', () => {
    const { written, output } = recorded({ isTTY: true })

    output.progress('1 of 2')
    output.line('done')

    expect(written.stderr).toBe('\r\u001b[K1 of 2\r\u001b[K')
  })

  it('never moves the cursor in CI', () => {
    const { written, output, wait } = recorded({ isTTY: true, environment: { CI: '1' } })
    wait(60_000)

    output.progress('1 of 2')

    expect(written.stderr).toBe('1 of 2\n')
  })

  it('colours only a terminal, and never against NO_COLOR', () => {
    expect(recorded({ isTTY: true }).output.paint('red', 'x')).toBe('\u001b[31mx\u001b[39m')
    expect(recorded({ isTTY: false }).output.paint('red', 'x')).toBe('x')
    expect(recorded({ isTTY: true, environment: { NO_COLOR: '1' } }).output.paint('red', 'x')).toBe('x')
    expect(recorded({ isTTY: false, environment: { FORCE_COLOR: '1' } }).output.paint('red', 'x')).toBe(
      '\u001b[31mx\u001b[39m',
    )
  })
})
