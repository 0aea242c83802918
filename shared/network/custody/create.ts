import { agentAlive, agentKey } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { notFound } from '#shared/platform/errors.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { refusalError, tryCommit } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { Custodian } from './port.ts'
import { type CustodyWallet, custodyWalletRows } from './rows.ts'

type Ctx = Pick<UserContext, 'actor' | 'owner' | 'requestId' | 'table'> & { custodian: Custodian }

/**
 * Returns the custodial wallet of the caller's agent, and creates it if necessary. The row is written after the
 * custodian's response; if the process dies in between, the next call finds the account again.
 * @throws PlatformError 404 for another user's agent, 502 and 503 of the custodian
 */
export async function createCustodyWallet(
  ctx: Ctx,
  { agentId }: { agentId: string },
): Promise<{ wallet: CustodyWallet; created: boolean }> {
  const { table, custodian, owner } = ctx
  await requireAgent({ table }, { agentId, owner })
  const store = userStore(table, owner)
  const sk = custodyWalletRows.sk({ agentId })
  const known = await store.get(sk)
  if (known !== undefined) return { wallet: custodyWalletRows.parse(known), created: false }
  const address = await custodian.accountOf(agentId)
  const wallet = { address, agentId, createdAt: new Date().toISOString() }
  const refusals = await tryCommit(table, {
    wallet: store.write.put(sk, custodyWalletRows.attributes(wallet), absent()),
    agent: {
      check: agentKey({ userId: owner, agentId }),
      ...agentAlive,
    },
    audit: await audit(ctx, 'wallet.created', {
      userId: owner,
      target: address,
      after: { address, agentId, custodian: 'coinbase' },
    }),
  })
  if (refusals === undefined) return { wallet, created: true }
  if (refusals.wallet?.item !== undefined)
    return { wallet: custodyWalletRows.parse(refusals.wallet.item), created: false }
  throw refusalError(refusals, { agent: () => notFound('Agent') })
}
