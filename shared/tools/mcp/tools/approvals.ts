import * as z from 'zod'
import { tool } from '../tool.ts'

/** The tool only lists: a person decides, not a model. */
export const approvalTools = [
  tool({
    name: 'list_approvals',
    title: 'List approvals',
    description: 'Requests of agents that only the user can decide.',
    kind: 'read',
    input: z.object({}),
    output: z.looseObject({}),
    call: (ask) =>
      ask({ method: 'GET', path: '/api/approvals', query: { state: 'pending', limit: 50 } }),
  }),
]
