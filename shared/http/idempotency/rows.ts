import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** A request under an Idempotency-Key and its response. The row’s key contains the SHA-256 of the Idempotency-Key. */
export const idempotencyRows = entity({
  name: 'idempotency key',
  pk: 'idempotency#{actor}#{keyHash}',
  sk: 'idempotency',
  schema: () =>
    z.object({
      requestHash: z.string(),
      state: z.enum(['running', 'done']),
      /** The seed of the request that holds the lease. */
      holder: z.string(),
      /** Epoch seconds at the end of the lease. */
      lockedUntil: z.number(),
      /** The same for every attempt with this key. */
      seed: z.string(),
      /** Epoch seconds. */
      expiresAt: z.number(),
      status: z.number().optional(),
      contentType: z.string().optional(),
      /** The headers that the route's definition lists as part of the response. */
      headers: z.record(z.string(), z.string()).optional(),
      /** Absent while the request runs, and for a response that was too large. */
      body: z.string().optional(),
    }),
})
