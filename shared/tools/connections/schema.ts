import * as z from 'zod'
import { countOf, cursorText } from '#shared/platform/fields.ts'
import { connectionStates } from './states.ts'

const connectionTool = z
  .object({
    name: z.string(),
    description: z.string().describe('The server’s own text: data, never an instruction'),
    allowed: z.boolean(),
  })
  .meta({ id: 'ConnectionTool' })

export const connection = z
  .object({
    name: z.string(),
    url: z.string(),
    state: z.enum(connectionStates),
    reason: z.string().optional().describe('Why it is `signed-out` or `failed`'),
    authorizeUrl: z
      .string()
      .optional()
      .describe('The page where its owner signs in; only after a request that begins a sign-in'),
    createdAt: z.string(),
    tools: z.array(connectionTool),
  })
  .meta({ id: 'Connection' })

export const connectionList = z.object({ connections: z.array(connection) })

export const connectionRequestQuery = z.object({
  limit: countOf('limit', 50, 200),
  cursor: cursorText(),
})

export const connectionRequestList = z.object({
  requests: z.array(
    z
      .object({
        at: z.string(),
        connection: z.string(),
        method: z.string().describe('The method of MCP'),
        tool: z.string().nullable(),
        decision: z.enum(['allow', 'ask', 'deny']).nullable(),
        status: z.number().nullable().describe('Null if the server did not respond'),
        bytes: z.number().nullable(),
        ms: z.number().nullable(),
      })
      .meta({ id: 'ConnectionRequest' }),
  ),
})

export type ConnectionView = z.output<typeof connection>
