import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { HumanMessage, type ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { plays } from '../support/ai/played.ts'

const model = 'anthropic/claude-sonnet-4.5'

interface Address {
  apiKey: string
  /** The backend's address. */
  url: string
}

const clients: Record<string, (address: Address) => BaseChatModel> = {
  '@langchain/anthropic': ({ apiKey, url }) =>
    new ChatAnthropic({ model, apiKey, anthropicApiUrl: url, maxRetries: 0 }),
  '@langchain/openai': ({ apiKey, url }) =>
    new ChatOpenAI({ model, apiKey, configuration: { baseURL: `${url}/v1` }, maxRetries: 0 }),
}

const getWeather = tool(({ place }) => `Rain in ${place}`, {
  name: 'getWeather',
  description: 'Returns the weather of a place',
  schema: z.object({ place: z.string() }),
})

describe.each([
  ['chat completions', 'chat'],
  ['Messages', 'chat,messages'],
])('LangChain over a provider of %s', (_, AI_SPEAKS) => {
  const on = useAiFunction({ AI_SPEAKS })

  describe.each(Object.keys(clients))('with %s', (name) => {
    const open = () => clients[name]!({ apiKey: on.caller.key, url: on.gateway.url })

    it('generates a text', async () => {
      on.upstream.serve(
        model,
        plays(() => ({ text: 'Hi there' })),
      )
      const answer = await open().invoke('Hello')
      expect(answer.text).toBe('Hi there')
      expect(answer.usage_metadata).toMatchObject({ input_tokens: 20, output_tokens: 10 })
    })

    it('streams a text', async () => {
      const words = 'All work and no play. '.repeat(50)
      on.upstream.serve(
        model,
        plays(() => ({ text: words })),
      )
      const pieces: string[] = []
      for await (const { text } of await open().stream('Hello')) pieces.push(text)
      expect(pieces.length).toBeGreaterThan(1)
      expect(pieces.join('')).toBe(words)
    })

    it('calls a tool and returns its result', async () => {
      const call = { id: 'call_1', name: 'getWeather', input: { place: 'Oslo' } }
      const turns = [{ text: 'I look.', calls: [call] }, { text: 'It rains.' }]
      on.upstream.serve(
        model,
        plays(() => turns[on.upstream.asked.length - 1] ?? {}),
      )
      const bound = open().bindTools!([getWeather])
      const asked = new HumanMessage('How is the weather?')
      const first = await bound.invoke([asked])
      expect(first.tool_calls).toMatchObject([{ id: 'call_1', args: call.input }])
      const result: ToolMessage = await getWeather.invoke(first.tool_calls![0]!)
      const last = await bound.invoke([asked, first, result])
      expect(last.text).toBe('It rains.')
      expect(JSON.stringify(on.upstream.asked[1]?.body.messages)).toContain('Rain in Oslo')
    })
  })
})
