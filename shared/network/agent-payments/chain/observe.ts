import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import * as z from 'zod'
import { askAll, quantity } from '#shared/money/evm/batch.ts'
import { unreachable } from '#shared/money/evm/client.ts'
import { authorizationTransaction } from '#shared/money/evm/token-payment.ts'
import type { UsdcChain } from '#shared/money/evm/usdc.ts'
import type { Finality } from '#shared/network/splits/chain/finality.ts'
import type { AgentPayment } from '../payment.ts'

/**
 * The outcome of a payment. `used`: the token has taken it. `over`: the token can never take it, because a final block
 * is past its validity and the payment is still unused in a later block. `open`: neither.
 */
export type Observation = { kind: 'used'; txHash: Hex | undefined } | { kind: 'over' | 'open' }

const abi = parseAbi(['function authorizationState(address, bytes32) view returns (bool)'])

const block = () => z.object({ number: quantity(), timestamp: quantity() })

const flag = () =>
  z
    .string()
    .regex(/^0x0{63}[01]$/)
    .transform((text) => text.endsWith('1'))

/**
 * Reads the outcome of a payment from the chain. The servers behind the node's address may know different blocks, so a
 * payment is `over` only if its state was read from the final block or a later one.
 * @throws PlatformError 503 if the node does not answer, or belongs to another chain than the payment
 */
export async function observePayment(
  { rpc, chainId, token }: UsdcChain,
  finality: Finality,
  payment: AgentPayment,
): Promise<Observation> {
  if (payment.chainId !== chainId || payment.token !== token)
    throw unreachable(new Error('the payment is on another chain than the one in the settings'))
  const blockAt = (tag: string) => ({ method: 'eth_getBlockByNumber', params: [tag, false] })
  const [id, final, latest] = await askAll(rpc, [
    { method: 'eth_chainId', params: [], form: quantity() },
    { ...blockAt(finality === 'finalized' ? 'finalized' : 'latest'), form: block().nullable() },
    { ...blockAt('latest'), form: block() },
  ])
  if (id !== BigInt(chainId)) throw unreachable(new Error('the node belongs to another chain'))
  const { from, nonce, validBefore } = payment
  const data = encodeFunctionData({
    abi,
    functionName: 'authorizationState',
    args: [from as Hex, nonce as Hex],
  })
  const at = `0x${latest.number.toString(16)}`
  const [isUsed] = await askAll(rpc, [
    { method: 'eth_call', params: [{ to: token, data }, at], form: flag() },
  ])
  if (isUsed) return { kind: 'used', txHash: await transactionOf(rpc, payment) }
  const isOver =
    final !== null && final.number <= latest.number && final.timestamp >= BigInt(validBefore)
  return { kind: isOver ? 'over' : 'open' }
}

/** Each nonce is signed for one payment only, so the transaction that used it is this payment's. */
function transactionOf(
  rpc: UsdcChain['rpc'],
  { token, from, nonce, at }: AgentPayment,
): Promise<Hex | undefined> {
  const used = { asset: token as Hex, from: from as Hex, nonce: nonce as Hex }
  return authorizationTransaction(rpc, used, Math.floor(Date.parse(at) / 1000))
}
