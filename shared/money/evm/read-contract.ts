import {
  type Abi,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ReadContractParameters,
  type ReadContractReturnType,
} from 'viem'
import { readContract as read } from 'viem/actions'
import { undefinedIfRefused, chainClient, type Rpc } from './client.ts'

type View = 'pure' | 'view'

/**
 * Calls a contract's view function in one `eth_call`.
 * @param call its address in lower case or with its checksum (EIP-55): viem accepts no other form
 * @returns undefined if the contract does not exist, reverts, or returns another type
 * @throws PlatformError 503
 */
export function readContract<
  const A extends Abi | readonly unknown[],
  N extends ContractFunctionName<A, View>,
  const Args extends ContractFunctionArgs<A, View, N>,
>(
  rpc: Rpc,
  call: ReadContractParameters<A, N, Args>,
): Promise<ReadContractReturnType<A, N, Args> | undefined> {
  return undefinedIfRefused(read(chainClient(rpc), call))
}
