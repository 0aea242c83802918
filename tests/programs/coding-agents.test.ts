import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sendsFirst } from '../support/ai/played.ts'
import { eventually } from '../support/clock/eventually.ts'
import { type Api, type CodingAgent, isInstalled, startAgent } from './coding-agent.ts'
import { continueCli } from './continue.ts'
import { opencode } from './opencode.ts'
import { qwenCode } from './qwen-code.ts'
import { useProgram } from './use-program.ts'

/** The model of each configuration in docs/use/models.md. */
const model = 'anthropic/claude-sonnet-5.5'

/** A text whose stream has more than four events. */
const long = 'Once upon a time, '.repeat(60)

const agents = [continueCli, qwenCode, opencode]

/** Each program with each API that it can call. */
const rows = agents.flatMap((agent) =>
  (Object.keys(agent.config.apis) as Api[]).map((api) => ({ agent, name: agent.name, api })),
)

describe.each(rows)('$name by $api', ({ agent, api }) => {
  describe.skipIf(!isInstalled(agent))('over a provider of the same API', () => {
    suite(agent, api)
  })
})

function suite(agent: CodingAgent, api: Api) {
  const { on, folders, answers } = useProgram(model, `chat,${api}`)

  const start = (prompt: string, { key = on.caller.key, resumes = false } = {}) =>
    startAgent(agent, { ...folders, api, url: on.gateway.url, key, prompt, resumes })

  it('changes a file by tools, and runs a command', async () => {
    const file = join(folders.cwd, 'greeting.txt')
    await writeFile(file, 'Hello\n')
    const calls = agent.editing(file)
    answers(...calls.map((call) => ({ calls: [call] })), { text: 'The greeting is changed.' })
    expect(await (await start('Change the greeting')).text()).toBe('The greeting is changed.')
    expect(await readFile(file, 'utf8')).toBe('Good day\n')
    expect(on.upstream.asked).toHaveLength(4)
    expect(JSON.stringify(on.upstream.asked.at(-1)?.body)).toContain('Good day')
    const event = { model, success: true, inputTokens: 20, outputTokens: 10 }
    await eventually(async () =>
      expect(await on.caller.events()).toMatchObject([event, event, event, event]),
    )
  })

  it('receives a long answer, is stopped in the next one, and resumes the conversation', async () => {
    const novel = 'All work and no play. '.repeat(3_000).trim()
    answers({ text: novel })
    expect(await (await start('Remember the word walrus')).text()).toBe(novel)
    on.upstream.serve(model, async (response, asked) => {
      await sendsFirst(response, asked, { turn: { text: long }, count: 4 })
      await asked.abandoned
    })
    const run = await start('Tell me a story', { resumes: true })
    await eventually(() => expect(on.upstream.asked).toHaveLength(2))
    run.stop()
    await run.ended
    answers({ text: 'Walrus' })
    expect(await (await start('Which word?', { resumes: true })).text()).toBe('Walrus')
    expect(JSON.stringify(on.upstream.asked.at(-1)?.body)).toContain('Remember the word walrus')
    await eventually(async () => expect(await on.caller.events()).toHaveLength(3))
  })

  it('shows why the caller is refused', async () => {
    const { key } = await on.gateway.newCaller('label')
    const { out, errors } = await (await start('Hello', { key })).outcome()
    expect(out + errors).toContain('is not part of the label plan')
    expect(on.upstream.asked).toEqual([])
  })
}
