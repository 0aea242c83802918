import {
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  hashMessage,
  type Hex,
} from 'viem'
import { call } from 'viem/actions'
import { unlessRefused, chainClient, type Rpc } from './client.ts'
import type { Signed } from './signed.ts'

/**
 * Returns whether an account's contract takes a signature as its own, by the reference validator of ERC-6492 run in one
 * `eth_call` that deploys nothing: it creates the account where the signature says how, then asks it (ERC-1271).
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
  const returned = await unlessRefused(call(chainClient(rpc), { data }))
  // One byte, true or false; a call that reverted or found no such contract returns none.
  return /^0x0*1$/.test(returned?.data ?? '')
}
