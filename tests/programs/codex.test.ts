import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cutsAfter, sendsFirst } from '../support/ai/played.ts'
import { eventually } from '../support/clock/eventually.ts'
import { hasCodex, startCodex } from './codex.ts'
import { useProgram } from './use-program.ts'

/** Codex has the tool apply_patch for this model. */
const model = 'openai/gpt-5.5'

/** A text whose stream has more than four events. */
const long = 'Once upon a time, '.repeat(60)

const patch = [
  '*** Begin Patch',
  '*** Update File: greeting.txt',
  '@@',
  '-Hello',
  '+Good day',
  '*** End Patch',
]

describe.skipIf(!hasCodex).each([
  ['chat completions', 'chat'],
  ['Responses', 'chat,responses'],
])('Codex over a provider of %s', (_, AI_SPEAKS) => {
  const { on, folders, answers } = useProgram(model, AI_SPEAKS)

  const codex = (args: readonly string[], key = on.caller.key) =>
    startCodex({ ...folders, url: on.gateway.url, key, model, args })

  it('changes a file by a free-form tool, and runs a command', async () => {
    const file = join(folders.cwd, 'greeting.txt')
    await writeFile(file, 'Hello\n')
    answers(
      {
        thinking: 'First I change it.',
        text: 'I change the file.',
        calls: [{ id: 'call_1', name: 'apply_patch', input: { input: `${patch.join('\n')}\n` } }],
      },
      { calls: [{ id: 'call_2', name: 'exec_command', input: { cmd: 'cat greeting.txt' } }] },
      { text: 'The greeting is changed.' },
    )
    const { text } = await (await codex(['Change the greeting'])).result()
    expect(text).toBe('The greeting is changed.')
    expect(await readFile(file, 'utf8')).toBe('Good day\n')
    expect(on.upstream.asked).toHaveLength(3)
    expect(JSON.stringify(on.upstream.asked.at(-1)?.body)).toContain('Good day')
    const event = { model, success: true, inputTokens: 20, outputTokens: 10 }
    await eventually(async () =>
      expect(await on.caller.events()).toMatchObject([event, event, event]),
    )
  })

  it('receives a long answer', async () => {
    const text = 'All work and no play. '.repeat(3_000).trim()
    answers({ text })
    expect(await (await codex(['Write a novel'])).result()).toMatchObject({ text })
  })

  it('is stopped in an answer, and resumes the conversation', async () => {
    answers({ text: 'I remember it' })
    const { thread } = await (await codex(['Remember the word walrus'])).result()
    on.upstream.serve(model, async (response, asked) => {
      await sendsFirst(response, asked, { turn: { text: long }, count: 4 })
      await asked.abandoned
    })
    const run = await codex(['Tell me a story'])
    await eventually(() => expect(on.upstream.asked).toHaveLength(2))
    run.stop()
    await run.ended
    answers({ text: 'Walrus' })
    const resumed = await codex(['resume', thread ?? '', 'Which word?'])
    expect(await resumed.result()).toMatchObject({ text: 'Walrus', thread })
    const { input, messages } = on.upstream.asked.at(-1)?.body ?? {}
    expect(JSON.stringify(input ?? messages)).toContain('Remember the word walrus')
    await eventually(async () => expect(await on.caller.events()).toHaveLength(3))
  })

  it('tries again after a stream that breaks off', async () => {
    on.upstream.serve(model, async (response, asked) => {
      answers({ text: 'Hello again' })
      await cutsAfter({ text: long }, 4)(response, asked)
    })
    const run = await codex(['Hello'])
    expect(await run.result()).toMatchObject({ text: 'Hello again' })
    expect(on.upstream.asked).toHaveLength(2)
  })

  it('shows why the caller is refused', async () => {
    const { key } = await on.gateway.newCaller('label')
    const run = await codex(['Hello'], key)
    await expect(run.result()).rejects.toThrow('is not part of the label plan')
    expect(on.upstream.asked).toEqual([])
  })
})
