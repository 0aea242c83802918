import * as z from 'zod'
import { once } from '../platform/once.ts'
import { entity } from '../platform/table/entity.ts'

/** The wallet of an agent at the custodian, who holds its key. It outlives the agent, as there may be money in it. */
export const custodyWalletRows = entity({
  name: 'wallet at the custodian',
  pk: 'user#{userId}',
  sk: 'custody-wallet#{agentId}',
  schema: once(() =>
    z.object({
      /** With its checksum (EIP-55). */
      address: z.custom<`0x${string}`>((text) => /^0x[0-9a-fA-F]{40}$/.test(String(text))),
      agentId: z.string(),
      /** ISO 8601. */
      createdAt: z.string(),
    }),
  ),
})

export type CustodyWallet = z.output<ReturnType<typeof custodyWalletRows.declared.schema>>
