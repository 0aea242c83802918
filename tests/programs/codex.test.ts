import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { responseEventsOf } from '../support/ai/played-responses.ts'
import { plays } from '../support/ai/played.ts'
import type { Turn } from '../support/ai/turn.ts'
import { delta } from '../support/ai/upstream.ts'
import { eventually } from '../support/clock/eventually.ts'
import { hasCodex, startCodex } from './codex.ts'

/** Codex has the tool apply_patch for this model. */
const model = 'openai/gpt-5.5'

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
  const on = useAiFunction({ AI_SPEAKS })
  let dir: string
  let cwd: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'codex-'))
    cwd = join(dir, 'repository')
    await mkdir(cwd)
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  const codex = (args: readonly string[], key = on.caller.key) =>
    startCodex({ cwd, home: join(dir, 'home'), url: on.gateway.url, key, model, args })

  /** Plays turns in order, and the last one again. */
  const answers = (...turns: readonly Turn[]) => {
    let at = 0
    on.upstream.serve(
      model,
      plays(() => turns[Math.min(at++, turns.length - 1)] ?? {}),
    )
  }

  it('changes a file by a free-form tool, and runs a command', async () => {
    const file = join(cwd, 'greeting.txt')
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
    on.upstream.serve(model, async (response, { abandoned }) => {
      const begun =
        AI_SPEAKS === 'chat'
          ? [delta({ content: 'Well' })]
          : responseEventsOf({ text: 'Well' }, 'x').slice(0, 4)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(begun.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
      await abandoned
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
    on.upstream.serve(model, (response) => {
      const events =
        AI_SPEAKS === 'chat'
          ? [delta({ content: 'Hel' })]
          : responseEventsOf({ text: 'Hel' }, 'x').slice(0, 4)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
      response.write(text, () => {
        answers({ text: 'Hello again' })
        response.destroy()
      })
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
