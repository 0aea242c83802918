import type { Hex } from 'viem'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import { type Head, isUnreachable, readHead, WrongChain } from '../chain/head.ts'
import { readSplit } from '../find.ts'
import { newestTries, nextOf, nonceKey, readPayments } from '../payments.ts'
import type { Split } from '../record.ts'
import { openSplitRows } from '../rows.ts'
import type { WalletWork } from '../topic.ts'
import { advanceSplit } from './advance.ts'
import { beginSplit } from './begin.ts'
import { endCheck, type RemainingWork, claimCheck } from './check.ts'
import type { WalletContext } from './context.ts'
import { explain } from './explain.ts'
import { sendAgain } from './send.ts'

/** The delay before the next check: Base creates a block every 2 s. */
const lookAgainSeconds = 2

/** The delay after the node was unreachable. */
const unreachableSeconds = 10

/** The delay after a check failed. */
const afterFaultSeconds = 10

/** Finished payments are watched for this time. A Base block becomes final on Ethereum earlier. */
const watchMs = 30 * 60_000

/**
 * Checks a wallet once: advances its oldest unfinished split, and sends earlier payments again if the chain reorganised
 * them. If the process is killed, the tick requests the next check.
 * @throws any failure of the check, after another one was requested
 */
export async function workOnWallet(
  ctx: Omit<WalletContext, 'wallet' | 'now'>,
  message: WalletWork,
): Promise<void> {
  const { table, clock = Date.now } = ctx
  const now = clock()
  const check = await claimCheck(table, message, now)
  if (check === undefined) return
  const wallet = check.wallet as Hex
  const rest = await look({ ...ctx, wallet, now }, check.watchUntil).catch(
    async (error: unknown) => {
      await endCheck(ctx, check, { kind: 'again', seconds: afterFaultSeconds, mark: 'failed' }, now)
      throw error
    },
  )
  await endCheck(ctx, check, rest, now)
}

async function look(ctx: WalletContext, watchUntil: number | undefined): Promise<RemainingWork> {
  const { split, elsewhere } = await oldestOpen(ctx)
  try {
    const head = await readHead(ctx.chain, ctx.wallet)
    if (split !== undefined) return await pay(ctx, head, split)
    const rest = await watch(ctx, head, watchUntil)
    return elsewhere ? { kind: 'watch', until: ctx.now + watchMs } : rest
  } catch (error) {
    if (!(error instanceof WrongChain) && !isUnreachable(error)) throw error
    await recordUnreachable(ctx, split, error)
    return { kind: 'again', seconds: unreachableSeconds, mark: 'unreachable' }
  }
}

async function pay(ctx: WalletContext, head: Head, split: Split): Promise<RemainingWork> {
  const startedSplit = await beginSplit(ctx, head, split)
  // The split failed before any payment, or another check was first: the next split is checked immediately.
  if (startedSplit === undefined) return { kind: 'again', seconds: 0, mark: '' }
  const isOver = await advanceSplit(ctx, head, startedSplit)
  const seconds = isOver ? 0 : lookAgainSeconds
  return { kind: 'again', seconds, mark: await markOf(head, startedSplit) }
}

/** Returns a value that changes whenever a split progresses: with the chain's count or a recipient's state. */
function markOf({ count }: Head, { splitId, recipients }: Split): Promise<string> {
  const known = recipients.map(({ status, nonce, seen }) => [status, nonce, seen?.block])
  return sha256Hex(JSON.stringify([splitId, count, known]))
}

/**
 * Returns the oldest unfinished split. A wallet pays one split at a time, so that its funds are not counted twice.
 * Splits for another chain or token wait until the settings contain that chain and token again.
 */
async function oldestOpen(
  ctx: WalletContext,
): Promise<{ split: Split | undefined; elsewhere: boolean }> {
  const { table, wallet, chain } = ctx
  const query = { pk: openSplitRows.pk({ wallet }), beginsWith: openSplitRows.prefix() }
  let elsewhere = false
  for await (const item of everyItem((from) =>
    table.query({ ...query, consistent: true, ...from }),
  )) {
    const split = await readSplit(table, openSplitRows.parse(item).splitId)
    if (split?.chainId === chain.chainId && split.token === chain.token) return { split, elsewhere }
    if (split !== undefined) await explain(ctx, split, isElsewhere)
    elsewhere = true
  }
  return { split: undefined, elsewhere }
}

/** Records that the chain is unreachable. This never fails a split. */
async function recordUnreachable(
  ctx: WalletContext,
  split: Split | undefined,
  error: Error,
): Promise<void> {
  const { log, table, wallet } = ctx
  const isWrong = error instanceof WrongChain
  log.warn(
    'cannot read a wallet from the chain',
    { wallet, error },
    {
      by: [['function']],
      of: { [isWrong ? 'NodeContradictions' : 'NodeFailures']: [1, 'Count'] },
    },
  )
  const current = split && (await readSplit(table, split.splitId))
  if (current !== undefined) await explain(ctx, current, isWrong ? wrongChain : unreachable)
}

const isElsewhere =
  'The split was created for another EVM_CHAIN_ID or USDC_ADDRESS; it continues when the settings contain them again'
const wrongChain =
  'The node in EVM_RPC_URL does not belong to the chain EVM_CHAIN_ID: no payment is signed or sent until this is corrected'
const unreachable = 'The chain is currently unreachable; the split continues when it responds'

/** Watches the last payments until they are final. */
async function watch(
  ctx: WalletContext,
  head: Head,
  until: number | undefined,
): Promise<RemainingWork> {
  const { table, wallet, now, chain } = ctx
  const account = { wallet, chainId: chain.chainId }
  const next = nextOf(await table.get(nonceKey(account)))
  if ((head.final?.count ?? 0) >= next) return { kind: 'done' }
  const payments = newestTries(await readPayments(table, account, head.count))
  await sendAgain(ctx, head, { payments, next })
  const ends = until ?? now + watchMs
  return ends <= now ? { kind: 'done' } : { kind: 'watch', until: ends }
}
