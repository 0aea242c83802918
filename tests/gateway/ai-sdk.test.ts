import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount, type LanguageModel, streamText, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { plays } from '../support/ai/played.ts'

const model = 'anthropic/claude-sonnet-4.5'

/** The SDK knows the limits of few models, and requests 128,000 tokens of others. */
const maxOutputTokens = 1_000

interface Address {
  apiKey: string
  /** The backend's address with `/v1`. */
  baseURL: string
}

const clients: Record<string, (address: Address) => LanguageModel> = {
  '@ai-sdk/anthropic': (address) => createAnthropic(address)(model),
  '@ai-sdk/openai': (address) => createOpenAI(address).chat(model),
  '@ai-sdk/openai-compatible': (address) =>
    createOpenAICompatible({ name: 'platform', includeUsage: true, ...address })(model),
}

const getWeather = tool({
  description: 'Returns the weather of a place',
  inputSchema: z.object({ place: z.string() }),
  execute: ({ place }) => `Rain in ${place}`,
})

describe.each([
  ['chat completions', 'chat'],
  ['Messages', 'chat,messages'],
])('the AI SDK over a provider of %s', (_, AI_SPEAKS) => {
  const on = useAiFunction({ AI_SPEAKS })

  describe.each(Object.keys(clients))('with %s', (name) => {
    const open = () => clients[name]!({ apiKey: on.caller.key, baseURL: `${on.gateway.url}/v1` })

    it('generates a text', async () => {
      on.upstream.serve(
        model,
        plays(() => ({ text: 'Hi there' })),
      )
      const { text, usage } = await generateText({
        model: open(),
        prompt: 'Hello',
        maxOutputTokens,
      })
      expect(text).toBe('Hi there')
      expect(usage).toMatchObject({ inputTokens: 20, outputTokens: 10 })
    })

    it('streams a text', async () => {
      const words = 'All work and no play. '.repeat(50)
      on.upstream.serve(
        model,
        plays(() => ({ text: words })),
      )
      const streamed = streamText({ model: open(), prompt: 'Hello', maxOutputTokens })
      const pieces: string[] = []
      for await (const piece of streamed.textStream) pieces.push(piece)
      expect(pieces.length).toBeGreaterThan(1)
      expect(pieces.join('')).toBe(words)
      expect(await streamed.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 })
    })

    it('calls a tool and returns its result', async () => {
      const call = { id: 'call_1', name: 'getWeather', input: { place: 'Oslo' } }
      const turns = [{ text: 'I look.', calls: [call] }, { text: 'It rains.' }]
      on.upstream.serve(
        model,
        plays(() => turns[on.upstream.asked.length - 1] ?? {}),
      )
      const { text, steps } = await generateText({
        model: open(),
        prompt: 'How is the weather?',
        maxOutputTokens,
        tools: { getWeather },
        stopWhen: isStepCount(2),
      })
      expect(text).toBe('It rains.')
      expect(steps[0]?.toolResults).toMatchObject([{ input: call.input, output: 'Rain in Oslo' }])
      expect(JSON.stringify(on.upstream.asked[1]?.body.messages)).toContain('Rain in Oslo')
    })
  })
})
