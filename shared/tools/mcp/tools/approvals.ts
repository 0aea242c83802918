import * as z from 'zod'
import { agentName, findAgentId } from '../find.ts'
import { tool } from '../tool.ts'

/** The tool only lists: a person decides, not a model. */
export const approvalTools = [
  tool({
    name: 'list_approvals',
    title: 'List what agents ask their owner',
    description:
      'Requests of agents that wait for a decision, or were decided. You cannot decide them: tell the user to.',
    kind: 'read',
    input: z.object({
      agent: agentName.optional(),
      state: z.enum(['pending', 'approved', 'denied', 'expired', 'done', 'failed']).optional(),
    }),
    output: z.looseObject({ approvals: z.array(z.looseObject({ id: z.string() })) }),
    call: async (ask, { agent, state }) => {
      const agentId = agent === undefined ? undefined : await findAgentId(ask, agent)
      return ask({ method: 'GET', path: '/api/approvals', query: { agentId, state, limit: 50 } })
    },
  }),
]
