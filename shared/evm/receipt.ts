import type { Hex } from 'viem'
import * as z from 'zod'
import { askNode, type Rpc, unreachable } from './node.ts'

const quantity = z.string().regex(/^0x[0-9a-f]+$/i)
const bytes = z.string().regex(/^0x[0-9a-f]*$/i)

const receipt = z
  .object({
    status: quantity,
    blockNumber: quantity.nullable(),
    logs: z.array(z.object({ address: bytes, topics: z.array(bytes), data: bytes })),
  })
  .nullable()

export type Receipt = NonNullable<z.output<typeof receipt>>

/**
 * What became of a transaction; undefined for one that no block holds.
 * @throws PlatformError 503
 */
export async function readReceipt(rpc: Rpc, hash: Hex): Promise<Receipt | undefined> {
  const found = await read(rpc, 'eth_getTransactionReceipt', [hash], receipt)
  return found === null || found.blockNumber === null ? undefined : found
}

/** The id of the chain that a node belongs to. @throws PlatformError 503 */
export async function readChainId(rpc: Rpc): Promise<number> {
  return Number(await read(rpc, 'eth_chainId', [], quantity))
}

async function read<T>(
  rpc: Rpc,
  method: string,
  params: readonly unknown[],
  schema: z.ZodType<T>,
): Promise<T> {
  const answer = await askNode(rpc, method, params)
  if ('error' in answer)
    throw unreachable(new Error(`the node answered ${method} with ${answer.error.code}`))
  const parsed = schema.safeParse(answer.result)
  if (!parsed.success) throw unreachable(new Error(`the node’s answer to ${method} is malformed`))
  return parsed.data
}
