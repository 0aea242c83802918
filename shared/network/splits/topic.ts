import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** A wallet whose payments must be checked. */
export const walletWork = topic('splits', () =>
  z.object({
    /** In lower case. */
    wallet: z.string(),
    /**
     * The check that this message follows. If several messages follow the same check, only one of them continues.
     * Absent for a new split.
     */
    after: z.number().optional(),
  }),
)

export type WalletWork = MessageOf<typeof walletWork>
