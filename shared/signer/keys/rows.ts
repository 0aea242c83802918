import * as z from 'zod'
import { entity } from '../../platform/table/entity.ts'

/** The key of an agent's wallet, sealed: a row of its own, so that what reads a wallet never holds it. It is never removed. */
export const walletKeyRows = entity({
  name: 'wallet’s key',
  pk: 'signer#{agentId}',
  sk: 'key',
  schema: () =>
    z.object({
      /** With its checksum. */
      address: z.string(),
      /** For this agent and this address. */
      sealed: z.string(),
      /** ISO 8601. */
      createdAt: z.string(),
    }),
})
