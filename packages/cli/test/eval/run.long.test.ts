import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SCORER_VERSION, scorerChangesSince } from '@callspec/eval'
import { BINARY } from '../helpers/binary.ts'
import { folderWith, namesIn } from '../helpers/folder.ts'
import { inProcess, inProcessWithOldOptions } from '../helpers/in-process.ts'

const SMALL = ['--model', 'sim/perfect', '--format', 'react', '--limit', '2', '--repeat', '1']
const words = (line: string): readonly string[] => line.split(' ')

/** The run folders, oldest first. */
const runsIn = (cwd: string, reports = 'reports'): readonly string[] =>
  namesIn(join(cwd, reports))
    .filter((name) => /^\d/.test(name))
    .map((name) => join(reports, name))

const json = (...path: readonly string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'))

const SUITE = `
import { defineSuite } from 'callspec'
import type { ToolContext } from 'callspec'
const parameters = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
const track = {
  description: { en: 'Finds a parcel.', zh: '查询包裹。' },
  parameters,
  run: ({ id }: { id?: string }, { state }: ToolContext) => {
    state.asked = id
    return { city: 'Oslo' }
  },
}
const reference = { plan: [[{ name: 'track', args: { id: '7' } }]], observations: ['{"city":"Oslo"}'], final: 'Oslo' }
const verdict = { answer: { all: ['Oslo'] }, must: [{ name: 'track' }], state: { asked: '7' } }
export default defineSuite({
  version: '2',
  tools: { track },
  tasks: [
    { id: 'parcel', category: 'post', query: 'Where is parcel 7?', tools: ['track', 'weekday'], verdict, reference },
    { id: '包裹', category: 'post', lang: 'zh', query: '包裹 7 在哪里？', tools: ['track'], verdict, reference },
  ],
})
`

const REFERENCE = {
  plan: [[{ name: 'weekday', args: { date: '2024-02-29' } }]],
  observations: ['{"weekday":"Thursday"}'],
  final: 'Thursday',
}

const CONFIG = `
import { defineConfig } from 'callspec'
export default defineConfig({
  models: [{ name: 'sim/perfect', id: 'mine', price: { prompt: 1, completion: 2 } }],
  protocols: ['fncall-nous'],
  suite: './parcels.eval.ts',
  repeat: 2,
  output: { files: ['out.jsonl'], reports: 'runs' },
})
`

/** Printed where the suite of the configuration is loaded, and where the configuration was found. */
const RUNS_SUITE = 'callspec: runs ./parcels.eval.ts (callspec.config.ts)\n'
const RUNS_CODE = `callspec: runs callspec.config.ts\n${RUNS_SUITE}`

describe('callspec eval', { timeout: 60_000 }, () => {
  it('takes models, suite and files from a configuration, and flags and variables before it', async () => {
    const cwd = folderWith({ 'callspec.config.ts': CONFIG, 'parcels.eval.ts': SUITE, '.env': 'CALLSPEC_REPEAT=1' })

    const { code, stdout, stderr } = await inProcess(words('eval -f react -o report.md'), { cwd })

    const [run = ''] = runsIn(cwd, 'runs')
    expect([code, stderr]).toEqual([0, RUNS_CODE])
    expect(stdout).toContain('1 model × 1 format × 2 tasks × 1 seed · stop words on · 2 of 2 episodes\n\nmine\n')
    expect(stdout).toMatch(/\| react +\|(?: +100\.0 \|){5} 2 × 1 \|\n\| +\|(?: +34–100 \|){5} +\|/)
    expect(stdout).toMatch(/ 0\.001\d \|\n/)
    expect(json(cwd, run, 'run.json')).toMatchObject({
      models: ['mine'],
      protocols: ['react'],
      tasks: ['parcel', '包裹'],
      repeat: 1,
      suite: { name: 'parcels', version: '2' },
    })
    // --output on the command line replaces the files of the configuration.
    expect(existsSync(join(cwd, 'out.jsonl'))).toBe(false)
    expect(readFileSync(join(cwd, 'report.md'), 'utf8')).toBe(readFileSync(join(cwd, run, 'report.md'), 'utf8'))
  })

  it('writes every form by its ending, the run folder, and the summary of the step', async () => {
    const cwd = folderWith({ 'step.md': '# before\n' })
    const outputs = ['a.json', 'a.jsonl', 'a.xml', 'a.md', 'a.html', 'a.csv'].flatMap((file) => ['-o', file])

    const { code, stdout } = await inProcess(
      ['eval', ...SMALL, ...outputs, '--reporter', 'junit', '--reporter', 'table'],
      { cwd, env: { GITHUB_STEP_SUMMARY: join(cwd, 'step.md') } },
    )

    const [run = ''] = runsIn(cwd)
    const text = (name: string): string => readFileSync(join(cwd, name), 'utf8')
    expect(code).toBe(0)
    expect(stdout).toContain('| react ')
    expect(text('a.json')).toBe(text(join(run, 'summary.json')))
    expect(text('a.jsonl').trimEnd().split('\n')).toHaveLength(2)
    expect(text('a.xml')).toBe(text(join(run, 'junit.xml')))
    expect(text('a.xml')).toContain(
      '<testsuite name="sim/perfect react single" tests="7" failures="0" errors="0" skipped="5">',
    )
    expect(text('a.xml')).toContain('<property name="task_success" value="1.0000 (2/2)"/>')
    expect(text('a.html')).toMatch(/^<!doctype html>/i)
    expect(text('a.csv').split('\r\n')[1]).toMatch(/^sim\/perfect,react,S01,single,en,0,/)
    expect(text('step.md')).toBe(`# before\n${text('a.md')}`)
  })

  it('prints JSON with -o -, and nothing but where the results are with --no-table', async () => {
    const cwd = folderWith({})

    const asJson = await inProcess(['eval', ...SMALL, '-o', '-'], { cwd })
    const bare = await inProcess(['eval', ...SMALL, '--no-table'], { cwd })

    expect(JSON.parse(asJson.stdout)).toMatchObject({ schema: 3, folder: runsIn(cwd)[0] })
    const folder = runsIn(cwd)[1] ?? ''
    expect(bare.stdout).toBe(
      `${folder}/\nnext: open ${folder}/report.html for every reply\n      callspec compare RUN ${folder}\n`,
    )
  })

  it('takes reports/latest, which Tab completes, where latest is taken', async () => {
    const cwd = folderWith({})
    await inProcess(['eval', ...SMALL, '--no-table'], { cwd })

    for (const line of [
      'report',
      'rescore --dry-run',
      'compare latest',
      'baseline bless -o b.json',
      'eval --retry-errors --resume',
    ]) {
      const short = await inProcess(words(`${line} latest`), { cwd })
      const long = await inProcess(words(`${line} reports/latest`), { cwd })

      expect([line, long.code, long.stdout]).toEqual([line, short.code, short.stdout])
      expect([line, long.stderr]).toEqual([line, short.stderr])
      expect([line, long.code]).not.toEqual([line, 2])
    }
  })

  it('counts without asking, and what it costs at most where prices are known', async () => {
    const cwd = folderWith({ 'callspec.config.ts': CONFIG, 'parcels.eval.ts': SUITE })

    const { code, stdout } = await inProcess(words('eval --dry-run --max-tokens 500 -c callspec.config.ts'), { cwd })
    const asJson = await inProcess(words('eval --dry-run --json -m sim/perfect -m mine -c callspec.config.ts'), { cwd })

    expect(code).toBe(0)
    expect(stdout).toBe(`models     mine
formats    nous
tasks      2, 2 times each
episodes   4
requests   at most 80
cost       at most about $0.16, if a request takes 1000 tokens and its reply 500
no request was sent
`)
    expect(JSON.parse(asJson.stdout)).toMatchObject({ episodes: 8, maxCalls: 160, maxCost: null })
    expect(namesIn(cwd)).toEqual(['callspec.config.ts', 'parcels.eval.ts'])
  })

  it('limits the calls of the model, and asks only for what failed before', async () => {
    const cwd = folderWith({})

    const short = await inProcess(words('eval -m sim/perfect -f react --filter ^S0[13] --repeat 1 --max-calls 1'), {
      cwd,
    })
    const again = await inProcess(words('eval -m sim/perfect -f react --filter-failing latest --repeat 1'), { cwd })

    expect(short.stdout).toContain('react causes: 2 max-calls-too-small (setup)')
    expect(json(cwd, runsIn(cwd)[1] ?? '', 'run.json')).toMatchObject({ tasks: ['S01', 'S03'] })
    expect(again.stdout).toContain(' 34–100 |')
    expect((await inProcess(words('eval -m sim/perfect --filter-failing latest'), { cwd })).stderr).toBe(
      'callspec: no task is left to run: latest has no task that failed.\n',
    )
  })

  it('goes on with a run that was interrupted, to the result of one that was not', async () => {
    const cwd = folderWith({})
    const whole = await inProcess(words('eval -m sim/faulty -f react --filter ^S --repeat 1 --json'), { cwd })
    const [run = ''] = runsIn(cwd)
    const before = readFileSync(join(cwd, run, 'summary.json'), 'utf8')
    cutShort(join(cwd, run))

    const { code, stderr } = await inProcess(words('eval --resume'), { cwd })

    expect([code, stderr, whole.code]).toEqual([0, '', 0])
    // Only a run that was not interrupted has its ledger.
    const withoutLedger = (text: string): string => text.replace(/"ledger": .*/, '')
    expect(withoutLedger(readFileSync(join(cwd, run, 'summary.json'), 'utf8'))).toBe(withoutLedger(before))
    expect((await inProcess(words('eval --resume'), { cwd })).stderr).toBe(
      'callspec: reports has no run that was interrupted. Name the folder: --resume RUN.\n',
    )
  })

  it('takes the plan of a run that goes on from its folder', async () => {
    const cwd = folderWith({})
    await inProcess(['eval', ...SMALL, '--no-table'], { cwd })
    const [run = ''] = runsIn(cwd)

    expect(await inProcess(['eval', '--resume', run, '--repeat', '2'], { cwd })).toMatchObject({
      code: 2,
      stderr: 'callspec: --resume goes on with the plan of the folder: leave out --repeat.\n',
    })
    expect(await inProcess(['eval', '--retry-errors'], { cwd })).toMatchObject({
      code: 2,
      stderr: 'callspec: --retry-errors needs --resume [RUN]: which run is to be repeated.\n',
    })
  })

  it('sends the prompt of callspec where requested, and reports it everywhere', { timeout: 60_000 }, async () => {
    const cwd = folderWith({})
    const plan = '-m sim/perfect -f phi-4-mini -n 2 --repeat 1 --no-table'
    const maker = await inProcess(words(`eval ${plan}`), { cwd })
    const own = await inProcess(words(`eval ${plan} --prompt callspec`), { cwd })
    const [before = '', after = ''] = runsIn(cwd)

    expect(maker.stderr).toContain('(--prompt callspec shows them)')
    expect(own.stderr).toContain('phi-4-mini: asked by the prompt of callspec')
    expect([json(cwd, before, 'run.json'), json(cwd, after, 'run.json')]).toMatchObject([
      { prompt: 'maker' },
      { prompt: 'callspec' },
    ])
    expect((json(cwd, before, 'run.json') as { config: string }).config).not.toBe(
      (json(cwd, after, 'run.json') as { config: string }).config,
    )
    expect(readFileSync(join(cwd, after, 'turns.jsonl'), 'utf8')).toContain('These tools can be called.')
    expect(readFileSync(join(cwd, after, 'report.md'), 'utf8')).toContain('prompt callspec')
    const compared = await inProcess(['compare', before, after], { cwd })
    expect(compared.stdout + compared.stderr).toContain('prompt: maker before, callspec after')
    expect(await inProcess(['eval', '--resume', after, '--prompt', 'maker'], { cwd })).toMatchObject({
      code: 2,
      stderr: 'callspec: --resume goes on with the plan of the folder: leave out --prompt.\n',
    })
    expect(await inProcess(words('eval -m sim/perfect -f nous --prompt callspec'), { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--prompt callspec changes nothing for nous') as string,
    })
  })

  it('runs again when a file changes, past mistakes, until it is stopped', async () => {
    const task = (query: string): string =>
      JSON.stringify([{ id: 'A', query, tools: ['weekday'], reference: REFERENCE }])
    const cwd = folderWith({ 's.json': task('Which day is 2024-02-29?') })
    const line = 'eval --suite s.json -m sim/perfect -f react --repeat 1 --watch --no-table'
    const child = spawn(process.execPath, [BINARY, ...words(line)], { cwd })
    const told: string[] = []
    /** Until it watches for the nth time. */
    const watching = (times: number): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (told.join('').split('watching s.json').length > times) resolve()
        }
        child.stderr.on('data', look)
        look()
      })
    child.stderr.on('data', (chunk: Buffer) => told.push(chunk.toString()))

    await watching(1)
    writeFileSync(join(cwd, 's.json'), '[{]')
    await watching(2)
    writeFileSync(join(cwd, 's.json'), task('Which day is 2024-03-01?'))
    await watching(3)
    child.kill('SIGINT')
    const code = await new Promise<number | null>((settle) => child.on('close', settle))

    expect([code, told.join('')]).toEqual([0, expect.stringContaining('This is not JSON5')])
    expect(runsIn(cwd)).toHaveLength(2)
    expect((await inProcess(words('eval --watch'), { cwd })).stderr).toBe(
      'callspec: --watch needs a configuration or a suite: a file that changes.\n',
    )
  })

  it('needs the suite again where its tools are code, and the same one', async () => {
    const cwd = folderWith({ 'parcels.eval.ts': SUITE, 'other.eval.ts': SUITE.replace('Oslo', 'Bergen') })
    await inProcess(words('eval --suite parcels.eval.ts -m sim/perfect -f react --repeat 1 --no-table'), { cwd })
    const [run = ''] = runsIn(cwd)
    cutShort(join(cwd, run))

    const without = await inProcess(words('eval --resume'), { cwd })
    const other = await inProcess(words('eval --resume --suite other.eval.ts'), { cwd })
    const same = await inProcess(words('eval --resume --suite parcels.eval.ts'), { cwd })

    const message = `callspec: ${run} was begun with the tools of the suite parcels, as it was: give --suite FILE, and --tools or --mcp if it had them.\n`
    expect([without.stderr, other.stderr]).toEqual([message, message])
    expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('2 of 2 episodes')])
  })

  it('plays parts of a plan, which merge puts together', async () => {
    const cwd = folderWith({})
    const plan = 'eval -m sim/faulty -f react -f fncall-nous --filter ^[ST] --repeat 1 --no-table'
    await inProcess(words(plan), { cwd })
    const [whole = ''] = runsIn(cwd)
    for (const shard of ['1/2', '2/2']) await inProcess([...words(plan), '--shard', shard], { cwd })
    const [, ...parts] = runsIn(cwd)

    const half = await inProcess(['merge', parts[0] ?? '', '--into', 'half', '--no-table'], { cwd })
    const both = await inProcess(['merge', ...parts, '--into', 'both', '--json'], { cwd })

    const rows = (folder: string): unknown => (json(cwd, folder, 'summary.json') as { rows: unknown }).rows
    expect([half.code, half.stderr]).toEqual([3, 'callspec: parts 1 of 2 are here: merge the others too.\n'])
    expect([both.code, both.stderr]).toEqual([0, ''])
    expect(rows('both')).toEqual(rows(whole))
    expect(JSON.parse(both.stdout)).toMatchObject({ folder: 'both', rows: rows(whole) })
  })

  it('writes a tape that replay plays without asking anybody, with the tools of the suite', async () => {
    const cwd = folderWith({ 'callspec.config.ts': CONFIG, 'parcels.eval.ts': SUITE })
    const recorded = await inProcess(words('eval --record tape.jsonl --json'), { cwd })
    writeFileSync(join(cwd, 'parcels.eval.ts'), SUITE.replace("return { city: 'Oslo' }", 'throw new Error("gone")'))

    const replayed = await inProcess(words('replay tape.jsonl --json -c callspec.config.ts'), { cwd })
    const missing = await inProcess(words('replay tape.jsonl -f react -c callspec.config.ts'), { cwd })
    const again = await inProcess(words('eval --record tape.jsonl'), { cwd })

    const rows = (text: string): unknown => (JSON.parse(text) as { rows: unknown }).rows
    expect(recorded.stderr).toBe(`${RUNS_CODE}tape: 0 answers replayed, 16 recorded\n`)
    expect(replayed.stderr).toBe(`${RUNS_SUITE}tape: 16 answers replayed, 0 recorded\n`)
    expect(rows(replayed.stdout)).toEqual(rows(recorded.stdout))
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^callspec: runs \S*parcels.*\ncallspec: tape\.jsonl holds no answer for a request to "mine" \(sample 0\)\..*\n$/,
      ),
    ])
    expect([again.code, again.stderr]).toEqual([2, expect.stringMatching(/\ncallspec: tape\.jsonl .*\n$/)])
  })

  it('answers from the tape of --cache, says what replaces it, and never counts a hit as time', async () => {
    const cwd = folderWith({})

    const first = await inProcess(['eval', ...SMALL, '--cache', '--no-table'], { cwd })
    const second = await inProcess(['eval', ...SMALL, '--cache'], { cwd })

    const note =
      'callspec: warning: --cache is deprecated: write --replay FILE, which records what is missing on the tape\n'
    const where = 'in .callspec-cache/replies.tape.jsonl\n'
    expect(first.stderr).toBe(`${note}tape: 0 answers replayed, 4 recorded ${where}`)
    expect(second.stderr).toBe(`${note}tape: 4 answers replayed, 0 recorded ${where}`)
    expect(second.stdout).toContain('failed on the way 0, cache hits 4')
    expect(second.stdout).toContain('|        — / — |')
  })

  it('refuses replies that an earlier version cached, in one line', async () => {
    const cwd = folderWith({ '.callspec-cache/ab/cdef.json': '{}' })

    const { code, stderr } = await inProcess(['eval', ...SMALL, '--cache'], { cwd })

    expect([code, stderr.split('\n').at(-2)]).toEqual([
      2,
      'callspec: .callspec-cache holds replies that an earlier version cached and this one cannot read. Delete it.',
    ])
  })

  it('scores a run again and says what changed', async () => {
    const cwd = folderWith({})
    await inProcess(['eval', ...SMALL, '--no-table'], { cwd })
    const [run = ''] = runsIn(cwd)
    const path = join(cwd, run, 'episodes.jsonl')
    const before = readFileSync(path, 'utf8')
    writeFileSync(path, before.replace('"end":"final_answer"', '"end":"no_tool_stop"'))

    const dry = await inProcess(words('rescore latest --dry-run --no-table'), { cwd })
    const { code, stderr } = await inProcess(words('rescore latest --no-table'), { cwd })

    expect([dry.code, dry.stderr]).toEqual([0, 'otherwise than before: 1 of 2 episodes, 0 of 4 turns\n'])
    expect([code, stderr]).toEqual([0, 'otherwise than before: 1 of 2 episodes, 0 of 4 turns\n'])
    expect(readFileSync(path, 'utf8')).toBe(before)
  })

  it('says what the scorer judges otherwise than the one that scored the run before', async () => {
    const cwd = folderWith({})
    await inProcess(['eval', ...SMALL, '--no-table'], { cwd })
    const path = join(cwd, runsIn(cwd)[0] ?? '', 'summary.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"scorer":\s*"\d+"/, '"scorer": "2"'))

    const { stderr } = await inProcess(words('rescore latest --no-table'), { cwd })
    const again = await inProcess(words('rescore latest --no-table'), { cwd })

    const sentences = scorerChangesSince('2').map((sentence) => `- ${sentence}\n`)
    expect(sentences.length).toBeGreaterThan(0)
    expect(stderr).toBe(
      `scorer 2 before, ${SCORER_VERSION} now:\n${sentences.join('')}otherwise than before: 0 of 2 episodes, 0 of 4 turns\n`,
    )
    expect(again.stderr).toBe('otherwise than before: 0 of 2 episodes, 0 of 4 turns\n')
  })

  it('prints a run again, as it was printed', async () => {
    const cwd = folderWith({})
    const { stdout } = await inProcess(['eval', ...SMALL], { cwd })

    const again = await inProcess(words('report latest -o j.xml'), { cwd })

    const table = (text: string): string => text.split(/\n(?:next|page):/)[0] ?? ''
    expect(again.code).toBe(0)
    expect(table(again.stdout)).toBe(table(stdout))
    expect(readFileSync(join(cwd, 'j.xml'), 'utf8')).toContain('tests="2"')
  })

  it.each([
    [
      'eval -o report.pdf',
      '--output report.pdf: the ending does not say what to write. Known: .json, .jsonl, .ndjson, .xml, .md, .markdown, .html, .csv, or - to print JSON.',
    ],
    ['eval -o a.md -o a.md', '--output a.md was given twice. Give it once.'],
    ['eval --timeout soon', '--timeout must be a time from 1ms to 24h such as 90s or 500ms, got "soon"'],
    ['eval --shard 3/2', '--shard must be I/N with I from 1 to N, such as 2/8, got "3/2"'],
    [
      'eval --filter-category trp',
      `--filter-category "trp" is not a category of the suite. Did you mean trap? Known: single, sequential, parallel, irrelevant, error_recovery, trap.`,
    ],
    ['eval --strict', '--strict needs --replay FILE: it says that no request is sent.'],
    ['eval --record a --replay b', '--record begins a new tape, --replay goes on with one. Give one of them.'],
    ['eval --record a --cache', '--cache and a tape do not go together. Give one of them.'],
    [
      'eval --resume none',
      'none: there is no such run folder. Give a folder such as reports/2026-01-31T12-00-00-1a2b3c4d, or latest.',
    ],
    [
      'eval -m m --base-url http://127.0.0.1:1/v1 --api-key-env MY_KEY',
      'the variable MY_KEY, which should contain the key of m, is not set.',
    ],
    [
      'eval -m m --base-url http://127.0.0.1:1/v1 --api-key-env sk-12345678',
      '--api-key-env takes the name of a variable, not a key. Put the key into the variable.',
    ],
    ['eval --env-file none.env', 'none.env: no such file. Give a file, or - for standard input.'],
    [
      'eval -m sim/oracle?fault=F99:0.1',
      expect.stringContaining('The model name "sim/oracle?fault=F99:0.1" makes no sense'),
    ],
    ['merge', 'callspec merge needs --into DIR: where the result goes.'],
    [
      'merge a --into b',
      'a: there is no such run folder. Give a folder such as reports/2026-01-31T12-00-00-1a2b3c4d, or latest.',
    ],
    ['report', 'callspec report needs a run folder, or latest.'],
    ['report latest', 'reports has no last run. Name a run folder.'],
    ['rescore', 'callspec rescore needs a run folder, or latest.'],
    ['replay', 'callspec replay needs a tape: a file that callspec eval --record FILE wrote.'],
    ['replay none.jsonl', expect.stringMatching(/^none\.jsonl .*/)],
    ['doctor', 'which endpoint? Give --base-url URL, or --model NAME with OPENAI_API_KEY.'],
    ['tasks show S1', 'the suite has no task "S1". Did you mean S01? callspec tasks list prints them.'],
    ['tasks show', 'callspec tasks show needs the id of a task. callspec tasks list prints them.'],
    ['tasks list S01', 'unexpected argument "S01". callspec tasks show S01 prints a task.'],
    ['tasks', 'callspec tasks needs one of: list, show, check. See callspec tasks --help'],
  ])('callspec %s is misuse', async (line, message: unknown) => {
    const cwd = folderWith({})

    const { code, stdout, stderr } = await inProcessWithOldOptions(words(line), { cwd })

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.slice('callspec: '.length, -1)).toEqual(message)
  })

  it('refuses a run of another version, and a variable that is no exit code', async () => {
    const cwd = folderWith({ 'reports/old/summary.json': '{"version": 1, "rows": []}', 'reports/none/x': '' })

    expect((await inProcess(words('report old'), { cwd })).stderr).toBe(
      'callspec: reports/old/summary.json is of version 1; this program reads version 3. callspec rescore writes it again.\n',
    )
    expect((await inProcess(words('report none'), { cwd })).stderr).toBe(
      'callspec: reports/none is no run folder: it holds no run.json. Run folders are in reports/.\n',
    )
    expect((await inProcess(['eval'], { cwd, env: { CALLSPEC_FAILED_EXIT_CODE: 'x' } })).stderr).toBe(
      'callspec: CALLSPEC_FAILED_EXIT_CODE must be a whole number from 0 to 255, got "x"\n',
    )
  })
})

/** As if it had been killed: half of the journal is there, with a torn line, and nothing that is written at the end. */
function cutShort(folder: string): void {
  const journal = readFileSync(join(folder, 'turns.jsonl'), 'utf8')
  writeFileSync(join(folder, 'turns.jsonl'), journal.slice(0, Math.floor(journal.length / 2)))
  const { sum: _sum, lines: _lines, ...manifest } = json(folder, 'run.json') as Record<string, unknown>
  const unfinished = { ...manifest, finishedAt: null }
  const sum = createHash('sha256')
    .update(JSON.stringify(sorted(unfinished)))
    .digest('hex')
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ ...unfinished, sum }))
}

/** With the keys of every object in order, as the check sum of run.json goes over them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, inner]): [string, unknown] => [key, sorted(inner)])
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
