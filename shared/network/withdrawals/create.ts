import { getAddress } from 'viem'
import { type ProvesPassword, proveRecently } from '#shared/accounts/users/prove-user.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import type { HasUsdc } from '#shared/money/evm/usdc.ts'
import { findWalletOf } from '#shared/money/wallets/find.ts'
import { requireSplitChain } from '#shared/network/splits/chain/require.ts'
import { splitParts } from '#shared/network/splits/create.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { refusalError, tryCommit } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { isoOf } from '#shared/platform/times.ts'
import { withdrawalRows } from './rows.ts'
import type { NewWithdrawal } from './schema.ts'

/**
 * Takes USDC out of an agent's wallet to an address, by a split to one recipient, which pays it at most once. A retry of
 * the same request returns the first withdrawal.
 * @throws PlatformError 400 for the wallet's own address, 403 SESSION_REQUIRED, 404 for an unknown agent or an agent
 * without a wallet, 503; and the errors of proveRecently
 */
export async function createWithdrawal(
  ctx: UserContext & Sends<'splits'> & HasUsdc & ProvesPassword,
  { agentId, to, amount, currentPassword }: NewWithdrawal,
): Promise<{ id: string; state: 'queued' }> {
  const { table, queues, owner, seed } = ctx
  await proveRecently(ctx, currentPassword)
  await requireAgent(ctx, { agentId, owner })
  const wallet = await findWalletOf(ctx, { agentId })
  if (wallet === undefined || wallet.userId !== owner) throw notFound('Wallet')
  const chain = await requireSplitChain(ctx.chain, 'The chain')
  const id = newId(withdrawalRows.id, seed)
  const now = Date.now()
  const { splitId, parts, announce } = await splitParts(
    ctx,
    {
      ...chain,
      userId: owner,
      agentId,
      fromAddress: wallet.address,
      name: `Withdrawal ${id}`,
      totalAmount: amount,
      recipients: [{ address: to, share: 100 }],
    },
    now,
  )
  const address = getAddress(to.toLowerCase())
  const row = { id, agentId, to: address, amount, splitId, createdAt: isoOf(now) }
  const refusals = await tryCommit(table, {
    ...parts,
    withdrawal: { put: withdrawalRows.put({ userId: owner, withdrawalId: id }, row), ...absent() },
  })
  if (refusals !== undefined && refusals.withdrawal?.item === undefined)
    throw refusalError(refusals, {})
  await announce(queues)
  return { id, state: 'queued' }
}
