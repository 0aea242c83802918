import {
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  hashMessage,
  type Hex,
} from 'viem'
import { call } from 'viem/actions'
import { undefinedIfRefused, chainClient, type Rpc } from './client.ts'
import type { Signed } from './signed.ts'

/**
 * Returns whether an account's contract accepts a signature. One `eth_call` runs the reference validator of
 * ERC-6492, which deploys nothing: it simulates the account's creation if the signature contains it, then asks the
 * account (ERC-1271).
 */
export async function isSignedByContract(
  { address, message }: Signed,
  signature: Hex,
  rpc: Rpc,
): Promise<boolean> {
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [address, hashMessage(message), signature],
  })
  const returned = await undefinedIfRefused(call(chainClient(rpc), { data }))
  // The result is one byte, 1 for a valid signature. A reverted call, or a call without a contract, returns nothing.
  return /^0x0*1$/.test(returned?.data ?? '')
}
