import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/**
 * The encrypted key of an agent's wallet. It has a separate row, so that a read of the wallet never contains it. It is
 * never deleted.
 */
export const walletKeyRows = entity({
  name: 'wallet’s key',
  pk: 'signer#{agentId}',
  sk: 'key',
  schema: () =>
    z.object({
      /** With EIP-55 checksum. */
      address: z.string(),
      /** Encrypted for this agent and address. */
      sealed: z.string(),
      /** ISO 8601. */
      createdAt: z.string(),
    }),
})
