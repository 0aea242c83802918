import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import * as z from 'zod'

const getWeather = createTool({
  id: 'getWeather',
  description: 'Returns the weather of a place',
  inputSchema: z.object({ place: z.string() }),
  execute: async ({ place }) => `Rain in ${place}`,
})

export function open({ url, key, model, api }) {
  const agent = new Agent({
    id: 'agent',
    name: 'Agent',
    instructions: 'Answer briefly.',
    model: { providerId: 'platform', modelId: model, url: `${url}/v1`, apiKey: key, api },
    tools: { getWeather },
    maxRetries: 0,
    // Otherwise it sends items of an answer by their ids, and the gateway stores none.
    defaultOptions: { providerOptions: { openai: { store: false } } },
  })
  const answer = async (prompt) => (await agent.generate(prompt)).text
  return {
    answer,
    act: answer,
    stream: async (prompt) => Array.fromAsync((await agent.stream(prompt)).textStream),
  }
}
