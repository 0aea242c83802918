import * as z from 'zod'
import { entity } from '../../platform/table/entity.ts'

/** What a caller asked for under an Idempotency-Key, by the key’s SHA-256, and what was answered. */
export const idempotencyRows = entity({
  name: 'idempotency key',
  pk: 'idempotency#{actor}#{keyHash}',
  sk: 'idempotency',
  schema: () =>
    z.object({
      requestHash: z.string(),
      state: z.enum(['running', 'done']),
      /** The seed of the request that runs it. */
      holder: z.string(),
      /** Epoch seconds until which that request may still run. */
      lockedUntil: z.number(),
      /** The same for every try under this key. */
      seed: z.string(),
      /** Epoch seconds. */
      expiresAt: z.number(),
      status: z.number().optional(),
      contentType: z.string().optional(),
      /** Those that its route says are part of the answer. */
      headers: z.record(z.string(), z.string()).optional(),
      /** Absent while it runs, and for an answer that was too large. */
      body: z.string().optional(),
    }),
})
