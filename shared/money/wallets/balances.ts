import { encodeFunctionData, erc20Abi } from 'viem'
import { PlatformError } from '#shared/platform/errors.ts'
import { amountOf, format } from '../amounts/amount.ts'
import { askEach, maxBatchSize, quantity } from '../evm/batch.ts'
import { requireChainId, requireUsdc, type UsdcSettings } from '../evm/usdc.ts'
import type { Wallet } from './rows.ts'

/** The time after which no more balances are read, so that the caller gets a list even if the node is slow. */
const patienceMs = 8_000

/** Returns a list of wallets with their balances, for their owner. */
export async function withBalances(
  chain: UsdcSettings,
  wallets: readonly Pick<Wallet, 'address' | 'agentId'>[],
) {
  const balances = await balancesOf(chain, wallets)
  const shown = wallets.map(({ address, agentId }, i) => ({
    address,
    agentId,
    balance_usdc: balances[i] ?? null,
    chain_id: chain.EVM_CHAIN_ID,
  }))
  return { wallets: shown, count: shown.length }
}

/**
 * Returns each wallet's USDC balance, in the order of the wallets, read in batches of a hundred; null if the chain is
 * not configured, does not respond, or is too slow.
 */
async function balancesOf(
  settings: UsdcSettings,
  wallets: readonly Pick<Wallet, 'address'>[],
): Promise<(number | null)[]> {
  const began = performance.now()
  const balances: (number | null)[] = []
  for (let from = 0; from < wallets.length; from += maxBatchSize) {
    const read = await readIfKnown(settings, wallets.slice(from, from + maxBatchSize))
    // No further calls to a node that does not respond.
    if (read === undefined) break
    balances.push(...read)
    if (performance.now() - began > patienceMs) break
  }
  return wallets.map((_, i) => balances[i] ?? null)
}

/** @returns undefined if the chain cannot be reached; null for a wallet whose call failed */
async function readIfKnown(
  settings: UsdcSettings,
  wallets: readonly Pick<Wallet, 'address'>[],
): Promise<(number | null)[] | undefined> {
  try {
    const chain = requireUsdc(settings, 'Balances')
    await requireChainId(chain)
    const answers = await askEach(
      chain.rpc,
      wallets.map(({ address }) => ({
        method: 'eth_call',
        params: [{ to: chain.token, data: balanceCall(address) }, 'latest'],
        form: quantity(),
      })),
    )
    return answers.map((answer) =>
      'result' in answer ? Number(format(amountOf('USDC', answer.result))) : null,
    )
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'unavailable') return undefined
    throw error
  }
}

function balanceCall(address: Wallet['address']) {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] })
}
