import * as z from 'zod'
import { emailActions } from './rows.ts'

/** contract.md 10. */
export const streamingReceived = z
  .object({ received: z.literal(true) })
  .meta({ id: 'StreamingEventReceived' })

export const emailReceived = z
  .object({
    received: z.literal(true),
    action: z
      .enum(emailActions)
      .describe('rejected: the sender is not on the list; rate_limited: more than ten in an hour'),
  })
  .meta({ id: 'EmailReceived' })
