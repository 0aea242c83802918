import * as z from 'zod'
import { agentName, findAgentId } from '../find.ts'
import { tool } from '../tool.ts'

const anything = z.looseObject({})

const settings = z
  .looseObject({
    model: z.string().nullish(),
    systemPrompt: z.string().nullish(),
    spendCapUsd: z.number().nullish().describe('USD per month'),
    spendCapUsdPerDay: z.number().nullish().describe('USD per day'),
    sleepAfterMinutes: z.int().nullish(),
  })
  .describe('Fields to change; null resets a field')

export const agentTools = [
  tool({
    name: 'list_agents',
    title: 'List agents',
    description: 'All agents of the user with their state.',
    kind: 'read',
    input: z.object({}),
    output: z.looseObject({ agents: z.array(anything) }),
    call: (ask) => ask({ method: 'GET', path: '/api/agents' }),
  }),
  tool({
    name: 'get_agent',
    title: 'Get an agent',
    description: 'One agent: state, configuration and address.',
    kind: 'read',
    input: z.object({ agent: agentName }),
    output: z.looseObject({ agent: anything }),
    call: async (ask, { agent }) =>
      ask({ method: 'GET', path: `/api/agents/${await findAgentId(ask, agent)}` }),
  }),
  tool({
    name: 'create_agent',
    title: 'Create an agent',
    description:
      'Creates and starts an agent. It runs a little later; get_agent returns its state.',
    kind: 'write',
    input: z.object({ name: z.string(), config: settings.optional() }),
    output: z.looseObject({ agent: anything }),
    call: (ask, body) => ask({ method: 'POST', path: '/api/agents/provision', body }),
  }),
  tool({
    name: 'update_agent',
    title: 'Configure an agent',
    description: 'Changes the configuration of an agent.',
    kind: 'write',
    input: z.object({ agent: agentName, config: settings }),
    output: anything,
    call: async (ask, { agent, config }) =>
      ask({
        method: 'PUT',
        path: `/api/agents/${await findAgentId(ask, agent)}/config`,
        body: { config },
      }),
  }),
  tool({
    name: 'control_agent',
    title: 'Start, stop, restart or repair an agent',
    description: 'Repair also tries earlier settings, unlike a restart.',
    kind: 'write',
    destructive: true,
    input: z.object({
      agent: agentName,
      action: z.enum(['start', 'stop', 'restart', 'repair']),
    }),
    output: anything,
    call: async (ask, { agent, action }) =>
      ask({ method: 'POST', path: `/api/instance/${await findAgentId(ask, agent)}/${action}` }),
  }),
  tool({
    name: 'delete_agent',
    title: 'Delete an agent',
    description: 'Deletes an agent with its memory. Ask the user first.',
    kind: 'write',
    destructive: true,
    input: z.object({ agent: agentName }),
    output: z.looseObject({ id: z.string() }),
    call: async (ask, { agent }) =>
      ask({ method: 'DELETE', path: `/api/agents/${await findAgentId(ask, agent)}` }),
  }),
]
