import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Api } from '../coding-agent.ts'
import { documented } from '../documented.ts'
import { useProgram } from '../use-program.ts'

const model = 'anthropic/claude-sonnet-4.5'

/** Calls of a model through a library. */
interface Library {
  answer(prompt: string): Promise<string>
  /** Returns the pieces of the streamed text. */
  stream(prompt: string): Promise<string[]>
  /** Answers as an agent with the tool getWeather. */
  act(prompt: string): Promise<string>
}

/** Each library, and the APIs that it can call. */
const libraries: readonly [name: string, file: string, apis: readonly Api[]][] = [
  ['@openai/agents', 'openai-agents', ['chat', 'responses']],
  ['llamaindex', 'llamaindex', ['chat', 'messages']],
  ['@mastra/core', 'mastra', ['chat', 'responses']],
]

const isInstalled = (name: string) => existsSync(join(import.meta.dirname, 'node_modules', name))

const rows = libraries.flatMap(([name, file, apis]) => apis.map((api) => ({ name, file, api })))

describe.each(rows)('$name by $api', ({ name, file, api }) => {
  describe.skipIf(!isInstalled(name))('over a provider of the same API', () => {
    suite(file, api)
  })
})

describe.each(libraries)('the program of docs/use/models.md for %s', (name, file) => {
  const { on, answers } = useProgram('anthropic/claude-sonnet-5.5', 'chat,messages,responses')

  it.skipIf(!isInstalled(name))('prints the answer', async () => {
    answers({ text: 'Hi there' })
    const { url } = on.gateway
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', documented(`js ${file}`)],
      {
        cwd: import.meta.dirname,
        env: { PATH: process.env.PATH, MODELS_URL: url, PLATFORM_API_KEY: on.caller.key },
      },
    )
    expect(stdout).toBe('Hi there\n')
  })
})

function suite(file: string, api: Api) {
  const { on, answers } = useProgram(model, `chat,${api}`)

  const open = async (key = on.caller.key): Promise<Library> => {
    const { open } = await import(join(import.meta.dirname, `${file}.mjs`))
    return open({ url: on.gateway.url, key, model, api })
  }

  it('answers', async () => {
    answers({ text: 'Hi there' })
    expect(await (await open()).answer('Hello')).toBe('Hi there')
    expect(await on.caller.events()).toMatchObject([{ model, success: true, outputTokens: 10 }])
  })

  it('streams a text', async () => {
    const words = 'All work and no play. '.repeat(50)
    answers({ text: words })
    const pieces = await (await open()).stream('Hello')
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join('')).toBe(words)
  })

  it('calls a tool and returns its result', async () => {
    const call = { id: 'call_1', name: 'getWeather', input: { place: 'Oslo' } }
    answers({ calls: [call] }, { text: 'It rains.' })
    expect(await (await open()).act('How is the weather?')).toBe('It rains.')
    expect(on.upstream.asked).toHaveLength(2)
    expect(JSON.stringify(on.upstream.asked[1]?.body)).toContain('Rain in Oslo')
  })

  it('reports why a call is refused', async () => {
    const { key } = await on.gateway.newCaller('label')
    await expect((await open(key)).answer('Hello')).rejects.toThrow('is not part of the label plan')
    const unknown = await open(`sk_${'0'.repeat(64)}`)
    await expect(unknown.answer('Hello')).rejects.toThrow('Unauthorized')
    expect(on.upstream.asked).toEqual([])
  })
}
