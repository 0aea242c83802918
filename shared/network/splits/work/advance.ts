import { isDeepStrictEqual } from 'node:util'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { isoOf } from '#shared/platform/times.ts'
import { isAboveCap } from '../chain/fees.ts'
import type { Head } from '../chain/head.ts'
import { observePayments } from '../chain/observe-payments.ts'
import { readSplit } from '../find.ts'
import {
  endPayments,
  newestTries,
  nextOf,
  nonceKey,
  type SignedPayment,
  readPayments,
  readTries,
} from '../payments.ts'
import type { Split } from '../record.ts'
import { splitRows } from '../rows.ts'
import { isDecided, isUnsigned, moveSplit } from '../state/moves.ts'
import type { Observation } from '../state/observe.ts'
import { changeSplit } from '../write.ts'
import type { WalletContext } from './context.ts'
import { endSplit } from './end.ts'
import { explain } from './explain.ts'
import { chainState, obstacle, sendAgain } from './send.ts'

/** The reason if the node's responses contradict each other. */
const contradicted =
  'The chain’s node contradicts itself or the signed transactions: the split waits until its responses are consistent again'

/**
 * Advances a split in progress: applies the state of the chain, signs missing payments, and broadcasts all signed
 * payments.
 * @returns whether the split has ended
 */
export async function advanceSplit(
  ctx: WalletContext,
  head: Head,
  startedSplit: Split,
): Promise<boolean> {
  const { table, wallet } = ctx
  const account = { wallet, chainId: ctx.chain.chainId }
  const sent = await readPayments(table, account, head.count)
  const payments = [...(await readTries(table, account, passedNonces(startedSplit, head))), ...sent]
  const looked = await look(ctx, { head, split: startedSplit, payments })
  if (looked === undefined) return false
  const { split: seen, contradiction } = looked
  if (isDecided(seen)) {
    const at = isoOf(ctx.now)
    return endSplit(ctx, seen, moveSplit(seen, { kind: 'conclude', at }))
  }
  const lacksOne = seen.recipients.some(isUnsigned) && !isAboveCap(head.fees)
  const split = lacksOne ? await sign(ctx, head, seen) : seen
  if (split?.status !== 'processing') return false
  const isSigned = split !== seen
  const current = isSigned ? await readPayments(table, account, head.count) : sent
  const next = nextOf(await table.get(nonceKey(account)))
  const outcome = await sendAgain(ctx, head, { payments: newestTries(current), next })
  if (outcome.lacksGas) count(ctx, 'a wallet waits for gas', 'WalletsWaitingForGas')
  await explain(
    ctx,
    split,
    contradiction ? contradicted : obstacle(outcome, head, split.fromAddress),
  )
  return false
}

async function sign(
  { signer, table }: WalletContext,
  head: Head,
  { splitId }: Split,
): Promise<Split | undefined> {
  await signer.signPayments({ splitId, ...chainState(head) })
  return readSplit(table, splitId)
}

/** Returns the split's nonces that the chain has used, except for confirmed recipients. */
function passedNonces({ recipients }: Split, { count }: Head): number[] {
  return recipients.flatMap(({ nonce, status }) =>
    nonce === undefined || nonce >= count || status === 'confirmed' ? [] : [nonce],
  )
}

/**
 * Updates a split with the state of the chain.
 * @returns undefined if another check has updated it in the meantime
 */
async function look(
  ctx: WalletContext,
  { head, split, payments }: { head: Head; split: Split; payments: readonly SignedPayment[] },
): Promise<{ split: Split; contradiction: boolean } | undefined> {
  const { table, wallet, now, chain } = ctx
  const triesOf = (nonce: number) =>
    payments.filter((one) => one.nonce === nonce && one.pays?.splitId === split.splitId)
  const nonces = [...split.recipients.entries()].flatMap(([index, { nonce, status, seen }]) =>
    nonce === undefined || status === 'confirmed'
      ? []
      : [
          {
            index,
            tries: triesOf(nonce),
            takenIn: seen?.hash === undefined ? seen?.block : undefined,
          },
        ],
  )
  const observations = await observePayments({ ...ctx, head }, nonces)
  const contradictions = [...observations.values()].filter(isContradiction)
  for (const { why } of contradictions)
    count(
      ctx,
      'the chain’s node contradicts itself or the signed transaction',
      'NodeContradictions',
      {
        splitId: split.splitId,
        why,
      },
    )
  const contradiction = contradictions.length > 0
  const after = moveSplit(split, { kind: 'look', observations, now })
  if (isDeepStrictEqual(after, split)) return { split, contradiction }
  // The old payments are marked as dead before a new one can replace them.
  for (const [index, { nonce }] of split.recipients.entries())
    if (nonce !== undefined && after.recipients[index]?.nonce === undefined)
      await endPayments(table, { wallet, chainId: chain.chainId }, triesOf(nonce))
  const { put, ...condition } = changeSplit(split, after)
  if (!(await tryWrite(table.put(put, condition)))) return undefined
  return { split: splitRows.parse(put), contradiction }
}

function isContradiction(
  observation: Observation,
): observation is Extract<Observation, { kind: 'contradiction' }> {
  return observation.kind === 'contradiction'
}

function count(
  { log, wallet }: WalletContext,
  message: string,
  metric: string,
  fields: Record<string, unknown> = {},
): void {
  log.warn(message, { wallet, ...fields }, { by: [['function']], of: { [metric]: [1, 'Count'] } })
}
