import { Anthropic, AnthropicSession } from '@llamaindex/anthropic'
import { extractText } from '@llamaindex/core/utils'
import { OpenAI } from '@llamaindex/openai'
import { agent } from '@llamaindex/workflow'
import { tool } from 'llamaindex'
import * as z from 'zod'

const getWeather = tool({
  name: 'getWeather',
  description: 'Returns the weather of a place',
  parameters: z.object({ place: z.string() }),
  execute: ({ place }) => `Rain in ${place}`,
})

const models = {
  chat: ({ url, key, model }) =>
    new OpenAI({ model, apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 }),
  // Its Anthropic calls tools only by a model with `-3` or `-4` in its name, as Anthropic spells it.
  messages: ({ url, key, model }) =>
    new Anthropic({
      model: model.replace('anthropic/', '').replace('.', '-'),
      maxTokens: 1_000,
      session: new AnthropicSession({ apiKey: key, baseURL: url, maxRetries: 0 }),
    }),
}

export function open({ api, ...address }) {
  const llm = models[api](address)
  const messagesOf = (content) => [{ role: 'user', content }]
  return {
    answer: async (prompt) =>
      extractText((await llm.chat({ messages: messagesOf(prompt) })).message.content),
    stream: async (prompt) => {
      const chunks = await llm.chat({ messages: messagesOf(prompt), stream: true })
      return Array.fromAsync(chunks, ({ delta }) => delta)
    },
    act: async (prompt) => (await agent({ llm, tools: [getWeather] }).run(prompt)).data.result,
  }
}
