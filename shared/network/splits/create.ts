import { getAddress } from 'viem'
import { parse } from '#shared/money/amounts/amount.ts'
import { findWallet } from '#shared/money/wallets/find.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { nextNumber } from '#shared/platform/sequence/next.ts'
import { type Part, refusalError, tryCommit } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import type { Table, Write } from '#shared/platform/table/port.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import { amountsOf } from './amounts.ts'
import type { Split } from './record.ts'
import { splitRequestRows, splitRows, inKey, userSplitRows } from './rows.ts'
import type { SplitTerms } from './schema.ts'
import { walletWork } from './topic.ts'
import { openParts } from './write.ts'

/** A split's terms, the paying wallet, and the chain and token: see requireSplitChain. */
export interface SplitOrder extends SplitTerms, Pick<Split, 'chainId' | 'token'> {
  userId: string
  fromAddress: string
}

interface SplitMade {
  splitId: number
  /** The parts that the caller commits together with the paid row, such as a booking. */
  parts: Record<'split' | 'owned' | 'open' | 'work', Write> & { audit: Part }
  /** Notifies the job after the commit. If the message is lost, the tick finds the split. */
  announce(queues: Queues<'splits'>): Promise<void>
}

const requestSeconds = 86_400

/**
 * Queues a split. A retry of the same request (`seed`) returns the first split.
 * @throws PlatformError 400, 403 or 404 if the wallet does not belong to the agent or user
 */
export async function createSplit(
  ctx: Context & { queues: Queues<'splits'> },
  order: SplitOrder,
): Promise<{ splitId: number; status: 'queued' }> {
  const { table, queues, seed } = ctx
  await requirePayer(table, order)
  const { splitId, parts, announce } = await splitParts(ctx, order)
  const expiresAt = epochSeconds() + requestSeconds
  const refusals = await tryCommit(table, {
    ...parts,
    request: { put: splitRequestRows.put({ seed }, { splitId }, { expiresAt }), ...absent() },
  })
  const earlier = refusals?.request?.item
  if (refusals !== undefined && earlier === undefined) throw refusalError(refusals, {})
  await announce(queues)
  return {
    splitId: earlier === undefined ? splitId : splitRequestRows.parse(earlier).splitId,
    status: 'queued',
  }
}

/**
 * Checks that the wallet belongs to the order's user and agent.
 * @throws PlatformError 400, 403 or 404: contract.md 9
 */
async function requirePayer(
  table: Table,
  { userId, agentId, fromAddress }: Pick<SplitOrder, 'userId' | 'agentId' | 'fromAddress'>,
): Promise<void> {
  const wallet = await findWallet({ table }, { address: fromAddress })
  if (wallet === undefined) throw notFound('Wallet')
  if (wallet.userId !== userId)
    throw new PlatformError('forbidden', 'fromAddress is the wallet of another user')
  if (wallet.agentId !== agentId)
    throw new PlatformError('bad-request', 'fromAddress is not the wallet of agentId')
}

/**
 * Returns a new split as parts of the transaction that requests it. The caller checks the wallet. The split's number is
 * issued immediately and never reused.
 * @throws PlatformError 400 if the wallet would pay itself
 */
export async function splitParts(
  ctx: AuditContext,
  order: SplitOrder,
  now = Date.now(),
): Promise<SplitMade> {
  const payer = order.fromAddress.toLowerCase()
  if (order.recipients.some(({ address }) => address.toLowerCase() === payer))
    throw new PlatformError('bad-request', 'recipients must not name the paying wallet')
  const splitId = await nextNumber(ctx, 'splits')
  const split = newRecord(order, splitId, now)
  const { userId } = order
  const { agentId, fromAddress, name, totalAmount, recipients } = split
  return {
    splitId,
    parts: {
      split: {
        put: splitRows.put({ splitId: String(splitId) }, split),
        if: 'attribute_not_exists(pk)',
      },
      owned: { put: userSplitRows.put({ userId, number: inKey(splitId) }, { splitId }) },
      ...openParts(split, now),
      audit: await audit(ctx, 'split.created', {
        userId,
        target: String(splitId),
        after: { splitId, agentId, fromAddress, name, totalAmount, recipients },
      }),
    },
    announce: (queues) => queues.send(walletWork, { wallet: payer }),
  }
}

function newRecord(order: SplitOrder, splitId: number, now: number): Split {
  const { userId, agentId, chainId, token, fromAddress, name, totalAmount, recipients } = order
  const amounts = amountsOf(
    parse('USDC', totalAmount),
    recipients.map(({ share }) => share),
  )
  return {
    splitId,
    userId,
    agentId,
    chainId,
    token,
    fromAddress: checksummed(fromAddress),
    name,
    totalAmount,
    status: 'queued',
    createdAt: isoOf(now),
    recipients: recipients.map(({ address, share }, i) => ({
      address: checksummed(address),
      share,
      amount: String(amounts[i]?.minor ?? 0n),
      status: 'pending',
    })),
    revision: 0,
  }
}

function checksummed(address: string): string {
  return getAddress(address.toLowerCase() as `0x${string}`)
}
