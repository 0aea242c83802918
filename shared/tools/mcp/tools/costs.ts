import * as z from 'zod'
import { agentName, findAgentId } from '../find.ts'
import { tool } from '../tool.ts'

export const costTools = [
  tool({
    name: 'get_usage',
    title: 'Get usage',
    description: 'Tokens and cost in USD of the last days, added up.',
    kind: 'read',
    input: z.object({
      by: z.enum(['daily', 'by-model', 'by-agent', 'by-key', 'tools']).default('daily'),
      days: z.int().min(1).max(90).default(30),
    }),
    output: z.looseObject({ data: z.array(z.looseObject({})) }),
    call: (ask, { by, days }) => ask({ method: 'GET', path: `/api/usage/${by}`, query: { days } }),
  }),
  tool({
    name: 'estimate_cost',
    title: 'Estimate a cost',
    description: 'The estimated cost of a prompt, between low and high, in USD.',
    kind: 'read',
    input: z.object({
      agent: agentName.optional(),
      model: z.string().optional(),
      prompt: z.string(),
      maxTokens: z.int().min(1).optional(),
      runsPerDay: z.number().positive().optional(),
    }),
    output: z.looseObject({}),
    call: async (ask, { agent, ...estimate }) => {
      const of = agent === undefined ? {} : { agentId: await findAgentId(ask, agent) }
      return ask({ method: 'POST', path: '/api/estimate', body: { ...estimate, ...of } })
    },
  }),
  tool({
    name: 'list_models',
    title: 'List models',
    description: 'The available models, with their prices.',
    kind: 'read',
    input: z.object({}),
    output: z.looseObject({ models: z.array(z.looseObject({})) }),
    call: (ask) => ask({ method: 'GET', path: '/api/models' }),
  }),
]
