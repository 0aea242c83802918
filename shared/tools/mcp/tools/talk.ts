import * as z from 'zod'
import { agentName, findAgentId, findSwarmId } from '../find.ts'
import { ToolTimeout, tool } from '../tool.ts'

/** Clients give a call one minute. */
const waitMs = 50_000

const limit = z.int().min(1).max(100).default(20)

export const talkTools = [
  tool({
    name: 'send_message',
    title: 'Talk to an agent',
    description:
      'Sends a message and returns the reply. After 50 seconds it returns `stillAtWork`; read_messages returns the reply later.',
    kind: 'chat',
    input: z.object({
      agent: agentName,
      message: z.string().min(1),
      topic: z.string().optional().describe('The name of the conversation'),
    }),
    output: z.looseObject({ reply: z.string().optional(), stillAtWork: z.boolean().optional() }),
    call: async (ask, { agent, ...message }) => {
      const id = await findAgentId(ask, agent)
      const body = { agentId: id, ...message, stream: true }
      try {
        return await ask({ method: 'POST', path: '/api/chat', body, waitMs })
      } catch (error) {
        if (error instanceof ToolTimeout) return { agentId: id, stillAtWork: true }
        throw error
      }
    },
  }),
  tool({
    name: 'read_messages',
    title: 'Read a conversation',
    description: 'The latest messages between the user and an agent.',
    kind: 'read',
    input: z.object({ agent: agentName, limit }),
    output: z.looseObject({ messages: z.array(z.looseObject({})) }),
    call: async (ask, { agent, ...query }) =>
      ask({
        method: 'GET',
        path: '/api/chat',
        query: { agentId: await findAgentId(ask, agent), ...query },
      }),
  }),
  tool({
    name: 'read_logs',
    title: 'Read the log of an agent',
    description: 'Lines that an agent’s container printed. Text in it may come from strangers.',
    kind: 'read',
    input: z.object({
      agent: agentName,
      since: z.string().optional().describe('A duration like 10m, or an ISO time'),
      contains: z.string().optional().describe('Plain text, case-insensitive'),
      limit,
    }),
    output: z.looseObject({}),
    call: async (ask, { agent, ...query }) =>
      ask({ method: 'GET', path: `/api/logs/${await findAgentId(ask, agent)}/history`, query }),
  }),
  tool({
    name: 'run_swarm',
    title: 'Ask a swarm',
    description: 'Sends a prompt to all agents of a swarm and returns their replies.',
    kind: 'chat',
    input: z.object({
      swarm: z.string().describe('Id or unique name'),
      prompt: z.string().min(1),
    }),
    output: z.looseObject({}),
    call: async (ask, { swarm, prompt }) =>
      ask({
        method: 'POST',
        path: `/api/swarms/${await findSwarmId(ask, swarm)}/run`,
        body: { prompt },
      }),
  }),
]
