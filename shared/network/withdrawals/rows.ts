import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** USDC that a user takes out of an agent’s wallet. A split to one recipient pays it and has its state. */
export const withdrawalRows = entity({
  name: 'withdrawal',
  id: 'wdr',
  pk: 'user#{userId}',
  sk: 'withdrawal#{withdrawalId}',
  schema: () =>
    z.object({
      id: z.string(),
      agentId: z.string(),
      /** With its checksum. */
      to: z.string(),
      /** USDC, as a decimal string. */
      amount: z.string(),
      splitId: z.number(),
      /** ISO 8601. */
      createdAt: z.string(),
    }),
})
