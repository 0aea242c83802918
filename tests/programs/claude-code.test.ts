import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cutsAfter, plays, sendsFirst } from '../support/ai/played.ts'
import { eventually } from '../support/clock/eventually.ts'
import { hasClaudeCode, startClaudeCode } from './claude-code.ts'
import { useProgram } from './use-program.ts'

const model = 'anthropic/claude-sonnet-5.5'

const bash = (id: string, command: string) => ({
  id,
  name: 'Bash',
  input: { command, description: 'Runs a command' },
})

describe.skipIf(!hasClaudeCode).each([
  ['chat completions', 'chat'],
  ['Messages', 'chat,messages'],
])('Claude Code over a provider of %s', (_, AI_SPEAKS) => {
  const { on, folders, answers } = useProgram(model, AI_SPEAKS)

  const claude = (args: readonly string[], key = on.caller.key) =>
    startClaudeCode({
      ...folders,
      env: { MODELS_URL: on.gateway.url, PLATFORM_API_KEY: key },
      args: ['-p', '--output-format', 'json', ...args],
    })

  it('changes a file by tools, and runs a command', async () => {
    const file = join(folders.cwd, 'greeting.txt')
    await writeFile(file, 'Hello\n')
    const edit = { file_path: file, old_string: 'Hello', new_string: 'Good day' }
    answers(
      {
        thinking: 'First I read it.',
        text: 'I read the file.',
        calls: [{ id: 'call_1', name: 'Read', input: { file_path: file } }, bash('call_2', 'ls')],
      },
      { calls: [{ id: 'call_3', name: 'Edit', input: edit }] },
      { calls: [bash('call_4', 'cat greeting.txt')] },
      { text: 'The greeting is changed.' },
    )
    const run = ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash', '--']
    const result = await claude([...run, 'Change the greeting']).result()
    expect(result).toMatchObject({
      is_error: false,
      result: 'The greeting is changed.',
      num_turns: 5,
    })
    expect(await readFile(file, 'utf8')).toBe('Good day\n')
    expect(on.upstream.asked).toHaveLength(4)
    expect(JSON.stringify(on.upstream.asked.at(-1)?.body.messages)).toContain('Good day')
    await eventually(async () =>
      expect(await on.caller.events()).toEqual(
        Array.from({ length: 4 }, () =>
          expect.objectContaining({ model, success: true, inputTokens: 20, outputTokens: 10 }),
        ),
      ),
    )
  })

  it('finds a tool that it had not sent', async () => {
    answers(
      { calls: [{ id: 'call_1', name: 'ToolSearch', input: { query: 'select:TaskStop' } }] },
      { text: 'Found' },
    )
    expect(await claude(['List the tasks']).result()).toMatchObject({ result: 'Found' })
    const [first, second] = on.upstream.asked.map(({ body }) => JSON.stringify(body.tools))
    expect(first).not.toContain('"TaskStop"')
    expect(second).toContain('"TaskStop"')
  })

  it('continues without a search of the web, which is refused', async () => {
    answers(
      { calls: [{ id: 'call_0', name: 'ToolSearch', input: { query: 'select:WebSearch' } }] },
      { calls: [{ id: 'call_1', name: 'WebSearch', input: { query: 'walruses' } }] },
      { text: 'No search' },
    )
    const run = claude(['--allowedTools', 'WebSearch', '--', 'Search'])
    expect(await run.result()).toMatchObject({ result: 'No search' })
    const { messages } = on.upstream.asked.at(-1)?.body ?? {}
    expect(JSON.stringify(messages)).toContain('switch this tool off')
  })

  it('receives a long answer', async () => {
    const text = 'All work and no play. '.repeat(3_000).trim()
    answers({ text })
    expect(await claude(['Write a novel']).result()).toMatchObject({ result: text })
  })

  it('names a model as its vendor does', async () => {
    const hi = plays(() => ({ text: 'Hi' }))
    on.upstream.serve('anthropic/claude-sonnet-4.5', hi)
    const run = claude(['--model', 'claude-sonnet-4-5-20250929', 'Hello'])
    expect(await run.result()).toMatchObject({ result: 'Hi' })
  })

  it('is stopped in an answer, and resumes the session', async () => {
    const session = randomUUID()
    const turn = { text: 'Well, this word is so long that I need a while for it.' }
    on.upstream.serve(model, async (response, asked) => {
      await sendsFirst(response, asked, { turn, count: 3 })
      await asked.abandoned
    })
    const run = claude(['--session-id', session, 'Remember the word walrus'])
    await eventually(() => expect(on.upstream.asked).toHaveLength(1))
    run.stop()
    await run.ended
    answers({ text: 'Walrus' })
    const result = await claude(['--resume', session, 'Which word?']).result()
    expect(result).toMatchObject({ result: 'Walrus', session_id: session })
    const { messages } = on.upstream.asked.at(-1)?.body ?? {}
    expect(JSON.stringify(messages)).toContain('Remember the word walrus')
    await eventually(async () => expect(await on.caller.events()).toHaveLength(2))
  })

  it('tries again after a stream that breaks off', async () => {
    on.upstream.serve(model, cutsAfter({ text: 'Hello again' }, 2))
    const run = claude(['Hello'])
    await eventually(() => expect(on.upstream.asked.length).toBeGreaterThan(1))
    answers({ text: 'Hello again' })
    expect(await run.result()).toMatchObject({ result: 'Hello again' })
  })

  it('shows why the caller is refused, and asks once', async () => {
    answers({ text: 'Hi' })
    const { key } = await on.gateway.newCaller('label')
    const result = await claude(['Hello'], key).result()
    expect(result.is_error).toBe(true)
    expect(result.result).toContain('is not part of the label plan')
    const refused = on.gateway.lines().filter((line) => line.includes('"MODEL_RESTRICTED"'))
    expect(refused).toHaveLength(1)
  })
})
