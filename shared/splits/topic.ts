import * as z from 'zod'
import { type MessageOf, topic } from '../platform/queues/topic.ts'

/** A wallet whose payments are to be looked at. */
export const walletWork = topic('splits', () =>
  z.object({
    /** In lower case. */
    wallet: z.string(),
    /** The look that this one follows, so that of several that were sent one goes on; absent: it begins anew. */
    after: z.number().optional(),
  }),
)

export type WalletWork = MessageOf<typeof walletWork>
