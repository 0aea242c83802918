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
      .describe('Rejected: its sender is not on the list; rate_limited: the eleventh in an hour'),
  })
  .meta({ id: 'EmailReceived' })
