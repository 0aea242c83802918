import * as z from 'zod'
import { topic } from '#shared/platform/queues/topic.ts'
import { completion } from './event.ts'

const key = () => z.object({ pk: z.string(), sk: z.string() })

const turn = () => z.object({ userId: z.string(), agentId: z.string(), name: z.string() })

const held = () =>
  z.object({
    key: key(),
    amounts: z.object({ tokens: z.number(), microUsd: z.number() }),
    expiry: z.number(),
    expiresAt: z.number().optional(),
    slotUntil: z.number().optional(),
  })

/** A model call that could not be recorded with its response. It contains all data of its record, and no secrets. */
export const settlements = topic('settlements', () =>
  z.object({
    event: completion().extend({ keyName: z.string().nullable().optional() }),
    reservation: z.array(held()),
    drawing: z
      .object({
        userId: z.string(),
        limit: z.number(),
        hold: z
          .object({ amount: z.number(), expiry: z.number(), turn: turn().optional() })
          .optional(),
      })
      .optional(),
    ownKey: z.boolean().optional(),
    quotaTokens: z.number().optional(),
    turn: turn().optional(),
  }),
)
