import * as z from 'zod'

/** A conversation's name in the agent: OpenAI's `user` field. */
export const sessionIdText = z
  .string('sessionId must be a string')
  .trim()
  .min(1, 'sessionId required')
  .max(100, 'sessionId must have at most 100 characters')

const session = {
  sessionId: z.string(),
  title: z.string().nullable().catch(null),
  createdAt: z.string(),
}

/** The fields of agents' responses that are passed on. */
export const sessionList = z
  .object({
    sessions: z.array(z.object({ ...session, updatedAt: z.string() })),
    count: z.number(),
  })
  .meta({ id: 'SessionList' })

export const sessionDetail = z
  .object({
    ...session,
    messages: z.array(
      z.object({
        role: z.string(),
        content: z.string().nullable().catch(null),
        createdAt: z.string(),
      }),
    ),
    count: z.number(),
  })
  .meta({ id: 'SessionDetail' })

export const newSession = z.object({ sessionId: z.string() })
