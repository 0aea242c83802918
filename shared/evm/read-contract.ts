import {
  type Abi,
  type Address,
  BaseError,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  type DecodeFunctionResultParameters,
  encodeFunctionData,
  type EncodeFunctionDataParameters,
} from 'viem'
import { ethCall } from './call.ts'
import type { Rpc } from './node.ts'

type View = 'view'

/**
 * Calls a contract's view function in one `eth_call`.
 * @returns undefined where there is no such contract, it reverts, or it answers in another form
 */
export async function readContract<
  const A extends Abi,
  N extends ContractFunctionName<A, View>,
  const Args extends ContractFunctionArgs<A, View, N>,
>(
  rpc: Rpc,
  to: Address,
  call: { abi: A; functionName: N; args: Args },
): Promise<ContractFunctionReturnType<A, View, N, Args> | undefined> {
  // viem derives both calls' types from a known ABI; for one that is still open they must be forgotten.
  const data = encodeFunctionData(call as unknown as EncodeFunctionDataParameters)
  const returned = await ethCall(rpc, { to, data })
  if (returned === undefined || returned === '0x') return undefined
  try {
    return decodeFunctionResult({
      ...call,
      data: returned,
    } as unknown as DecodeFunctionResultParameters) as ContractFunctionReturnType<A, View, N, Args>
  } catch (error) {
    // Contracts that users name answer anything; an argument that is wrong fails before this.
    if (error instanceof BaseError) return undefined
    throw error
  }
}
