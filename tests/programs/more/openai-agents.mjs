import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import * as z from 'zod'

const getWeather = tool({
  name: 'getWeather',
  description: 'Returns the weather of a place',
  parameters: z.object({ place: z.string() }),
  execute: ({ place }) => `Rain in ${place}`,
})

export function open({ url, key, model, api }) {
  const modelProvider = new OpenAIProvider({
    baseURL: `${url}/v1`,
    apiKey: key,
    useResponses: api === 'responses',
  })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  const agent = new Agent({ name: 'Agent', model, tools: [getWeather] })
  const answer = async (prompt) => (await runner.run(agent, prompt)).finalOutput
  return {
    answer,
    act: answer,
    stream: async (prompt) => {
      const result = await runner.run(agent, prompt, { stream: true })
      return Array.fromAsync(result.toTextStream())
    },
  }
}
