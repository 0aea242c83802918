import { agentAlive, agentKey, ownerOf } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { findWalletOf, newWalletParts } from '#shared/money/wallets/find.ts'
import { agentWalletRows, type Wallet } from '#shared/money/wallets/rows.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { PlatformActor } from '#shared/platform/identity/actor.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { refusalError, tryCommit } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { addressOf, newKey } from '../keys/curve.ts'
import type { HasKeySeals } from '../keys/port.ts'
import { walletKeyRows } from '../keys/rows.ts'

/**
 * Returns an agent's wallet, and creates it if necessary. Concurrent calls create only one.
 * @throws PlatformError 404 for an unknown agent, 503 without an encryption key
 */
export async function createWallet(
  ctx: Pick<Context<PlatformActor>, 'actor' | 'table' | 'requestId'> & HasKeySeals,
  { agentId }: { agentId: string },
): Promise<{ address: Wallet['address']; created: boolean }> {
  const { table } = ctx
  const { userId } = await requireAgent({ table }, { agentId, owner: undefined })
  const known = await findWalletOf({ table }, { agentId })
  if (known !== undefined) return { address: known.address, created: false }
  const { wallet, sealed } = await newWallet(ctx, { agentId, userId })
  const { address, createdAt } = wallet
  const refusals = await tryCommit(table, {
    ...newWalletParts(wallet),
    key: { put: walletKeyRows.put({ agentId }, { address, sealed, createdAt }), ...absent() },
    agent: {
      check: agentKey({ userId, agentId }),
      ...agentAlive,
    },
    audit: await audit(ctx, 'wallet.created', {
      userId: ownerOf({ userId }),
      target: address,
      after: { address, agentId },
    }),
  })
  if (refusals === undefined) return { address, created: true }
  if (refusals.wallet?.item !== undefined)
    return { address: agentWalletRows.parse(refusals.wallet.item).address, created: false }
  throw refusalError(refusals, { agent: () => notFound('Agent') })
}

/** Creates a wallet with an encrypted key, without storing it. */
async function newWallet(
  { keys }: HasKeySeals,
  { agentId, userId }: Pick<Wallet, 'agentId' | 'userId'>,
): Promise<{ wallet: Wallet; sealed: string }> {
  const key = newKey()
  try {
    const address = addressOf(key)
    const sealed = await keys.seal(key, { agentId, address })
    return { wallet: { address, agentId, userId, createdAt: new Date().toISOString() }, sealed }
  } finally {
    key.fill(0)
  }
}
