import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'
import { runIn } from '../helpers/own-server.ts'

const words = (line: string): readonly string[] => line.split(' ')
const PATH = { type: 'object', properties: { path: { type: 'string' }, head: { type: 'integer' } }, required: ['path'] }
const TOOLS = JSON.stringify({
  tools: [{ name: 'read_file', description: 'Reads.', inputSchema: PATH }, { name: 'bell' }],
})
const READ = { name: 'read_file', args: { path: 'a.txt' } }

interface Score {
  readonly key: { readonly task: string }
  readonly success: boolean
  readonly reasons: readonly string[]
  readonly turns: readonly unknown[]
}

function scoresIn(cwd: string): readonly Score[] {
  const lines = readFileSync(join(runIn(cwd), 'episodes.jsonl'), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line) as Score)
}

describe('tools that are only listed', () => {
  it('are asked for with arguments that fit, and the first call ends the episode', async () => {
    const cwd = folderWith({ 'tools.json': TOOLS })

    const line = 'eval --tools tools.json -m sim/perfect -f nous,role-react,native --repeat 1 --no-table'
    const { code, stderr } = await inProcess(words(line), { cwd })

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const scores = scoresIn(cwd)
    expect(scores.map(({ success }) => success)).toEqual(scores.map(() => true))
    expect(new Set(scores.map(({ key }) => key.task))).toEqual(
      new Set(['read_file-1', 'read_file-2', 'read_file-3', 'read_file-4', 'bell-1']),
    )
    expect(new Set(scores.map(({ turns }) => turns.length))).toEqual(new Set([1, 2]))
  })

  it('judge a call with other arguments as wrong', async () => {
    const wrong = { ...READ, args: { path: 'b.txt' } }
    const reference = { plan: [[wrong]], observations: [''], final: 'Done.' }
    const task = { id: 'a', query: 'Read a.txt.', until: 'call', verdict: { must: [READ] }, reference }
    const cwd = folderWith({ 'tools.json': TOOLS, 'own.json': JSON.stringify({ tasks: [task] }) })

    await inProcess(words('eval --tools tools.json --suite own.json -m sim/perfect -f nous --repeat 1'), { cwd })

    expect(scoresIn(cwd)).toMatchObject([{ success: false, reasons: ['missing_call:read_file'] }])
  })

  it('are offered by tasks of a suite, and end those that nothing could answer', async () => {
    const reference = { plan: [[READ]], observations: ['"text"'], final: 'Done.' }
    const tasks = [
      { id: 'all', query: 'Read.', verdict: { must: [READ] } },
      { id: 'answered', query: 'Read.', tools: ['read_file'], reference },
      { id: 'recorded', query: 'Ring.', tools: ['bell', 'own'] },
    ]
    const own = { description: 'Own.', parameters: { type: 'object' }, recorded: [{ args: {}, result: 1 }] }
    const cwd = folderWith({ 'tools.json': TOOLS, 'own.json': JSON.stringify({ tasks, tools: { own } }) })

    const { stdout } = await inProcess(words('tasks list --json --tools tools.json --suite own.json'), { cwd })

    const listed = JSON.parse(stdout) as readonly {
      readonly id: string
      readonly until?: string
      readonly tools: unknown
    }[]
    expect(listed.map(({ id, until = 'answer', tools }) => [id, until, tools])).toEqual([
      ['all', 'call', ['read_file', 'bell']],
      ['answered', 'answer', ['read_file']],
      ['recorded', 'answer', ['bell', 'own']],
    ])
  })

  it.each([
    ['--tools tools.json --suite built-in', 'tools.json: the suite built-in has its own tools.'],
    ['--tools bad.json', 'bad.json: tools[0]: "a b" is no name for a tool'],
    ['--tools odd.json', 'odd.json: no arguments could be made that fit the schemas of these tools.'],
    ['--tools tools.json --mcp true', '--tools and --mcp both name tools.'],
    ['--mcp false', '--mcp "false": it ended with exit code 1'],
    ['--tools tools.json --suite own.json5', 'own.json5:1: tasks[0]: unknown key "tolls". Did you mean tools?'],
  ])('tasks list %s is a mistake', async (line, message) => {
    const cwd = folderWith({
      ...{ 'tools.json': TOOLS, 'bad.json': '[{"name": "a b"}]' },
      ...{ 'odd.json': '[{"name": "a", "parameters": {"type": 7}}]' },
      'own.json5': '{ tasks: [{ id: "a", query: "b", tolls: [] }] }',
    })

    const { code, stderr } = await inProcess(['tasks', 'list', ...words(line)], { cwd })

    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('are needed again to go on with a run', async () => {
    const cwd = folderWith({ 'tools.json': TOOLS })
    await inProcess(words('eval --tools tools.json -m sim/perfect -f nous --repeat 1 --no-table'), { cwd })
    const run = runIn(cwd)

    const without = await inProcess(['eval', '--resume', run], { cwd })
    const again = await inProcess(['eval', '--resume', run, '--tools', 'tools.json', '--no-table'], { cwd })

    expect(without.code).toBe(2)
    expect(without.stderr).toContain('give --suite FILE, and --tools or --mcp if it had them.')
    expect(again.code).toBe(0)
  })

  it('do not come from a command that a found .env file names', async () => {
    const cwd = folderWith({ '.env': 'CALLSPEC_MCP=touch ran\n' })

    const { code, stderr } = await inProcess(words('eval -m sim/perfect -n 1 --repeat 1'), { cwd })

    expect(code).toBe(2)
    expect(stderr).toContain('a .env file that was found must not name code')
  })
})
