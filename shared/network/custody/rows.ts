import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { entity } from '#shared/platform/table/entity.ts'

/**
 * The wallet of an agent at the custodian, which holds its key. The row outlives the agent, because the wallet may
 * contain money.
 */
export const custodyWalletRows = entity({
  name: 'wallet at the custodian',
  pk: 'user#{userId}',
  sk: 'custody-wallet#{agentId}',
  schema: once(() =>
    z.object({
      /** With EIP-55 checksum. */
      address: z.custom<`0x${string}`>((text) => /^0x[0-9a-fA-F]{40}$/.test(String(text))),
      agentId: z.string(),
      /** ISO 8601. */
      createdAt: z.string(),
    }),
  ),
})

export type CustodyWallet = z.output<ReturnType<typeof custodyWalletRows.declared.schema>>
