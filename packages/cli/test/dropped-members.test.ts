import { expect, it } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

it('says which members of a message the reference drops', async () => {
  const cwd = folderWith({
    'request.json5': `[
      { role: 'user', content: 'hi', reasoning_content: 'so', name: 'me', extra: {} },
      { role: 'assistant', content: null, tool_calls: [{}] },
      { role: 'user', content: 'hi', fuction_call: 1 },
    ]`,
  })

  const { code, stdout, stderr } = await inProcess(['render', 'request.json5', '--format', 'nous'], { cwd })

  expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }]])
  expect(stderr).toBe(
    'callspec: warning: request.json5:3: messages[1].tool_calls is dropped, as in the reference. ' +
      'Write function_call: {name, arguments}.\n' +
      'callspec: warning: request.json5:4: messages[2].fuction_call is dropped, as in the reference.\n',
  )
})
