import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { entity } from '#shared/platform/table/entity.ts'

/** The public data of an agent's wallet. It never changes, so its rows cannot contradict each other. */
const walletRecord = once(() =>
  z.object({
    /** With its checksum (EIP-55). */
    address: z.custom<`0x${string}`>((text) => /^0x[0-9a-fA-F]{40}$/.test(String(text))),
    agentId: z.string(),
    /** Null for the wallet of an agent of the platform itself. */
    userId: z.string().nullable(),
    /** ISO 8601. */
    createdAt: z.string(),
  }),
)

export type Wallet = z.output<ReturnType<typeof walletRecord>>

/** An agent's wallet, by the agent's id. The row outlives the agent, because the wallet may hold money. */
export const agentWalletRows = entity({
  name: 'agent’s wallet',
  pk: 'agent#{agentId}',
  sk: 'wallet',
  schema: walletRecord,
})

/** A copy of an agent's wallet, by the wallet's address in lower case. */
export const walletRows = entity({
  name: 'wallet',
  pk: 'agent-wallet#{address}',
  sk: 'wallet',
  schema: walletRecord,
})

/** A copy of an agent's wallet, in the list of a user's wallets. */
export const userWalletRows = entity({
  name: 'user’s wallet',
  pk: 'user#{userId}',
  sk: 'agent-wallet#{agentId}',
  schema: walletRecord,
})
