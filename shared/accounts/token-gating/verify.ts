import type { Address } from 'viem'
import type * as z from 'zod'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { readMessage } from '../wallet-sign-in/message.ts'
import { proveSigned } from '../wallet-sign-in/prove.ts'
import type { WalletChain } from '../wallet-sign-in/sign-in.ts'
import { accessOf, balanceOf, type TokenGate } from './gate.ts'
import type { gateAnswer, GateRequest } from './schema.ts'

/**
 * Returns whether the holder of a wallet, proven by a sign-in message, holds enough of a token: the platform's token
 * with the operator's minimum, or the caller's token and minimum. The response reports the token and the minimum.
 * @throws PlatformError 401 for an unproven wallet, 403 for a low balance, 503 if the chain cannot be reached
 */
export async function verifyHolder(
  {
    table,
    webUrl,
    chainId,
    gate,
  }: Pick<Context, 'table'> & Can<'webUrl'> & WalletChain & { gate: TokenGate },
  request: GateRequest,
): Promise<z.output<typeof gateAnswer>> {
  const { evm } = gate
  const { tokenAddress, minimum } = tokenOf(gate, request)
  const message = readMessage(request.message, { webUrl, chainId, address: request.address })
  await proveSigned(table, message, request.signature, evm)
  const balance = await balanceOf(evm, tokenAddress as Address, message.address)
  const answer = {
    ...accessOf(balance, minimum),
    address: message.address,
    tokenAddress,
    balance: String(balance),
    minimumBalance: String(minimum),
    chainId,
  }
  if (!answer.tokenGated)
    throw new PlatformError('forbidden', 'The address does not hold enough of the token', {
      details: { success: false, ...answer },
    })
  return { success: true, ...answer }
}

function tokenOf(gate: TokenGate, request: GateRequest) {
  if (gate.evm.url === undefined) throw notConfigured('Token gating', [gate.evm.setting])
  if (request.tokenAddress !== undefined)
    return { tokenAddress: request.tokenAddress, minimum: BigInt(request.minimumBalance ?? 1) }
  if (gate.tokenAddress === undefined)
    throw notConfigured('A token of the platform’s own', ['TOKEN_GATE_ADDRESS'])
  return { tokenAddress: gate.tokenAddress, minimum: gate.minimum }
}
