import * as z from 'zod'

const bytes = z.string().regex(/^0x[0-9a-f]*$/i)
const quantity = z.string().regex(/^0x[0-9a-f]+$/i)

/** The response of a node in JSON-RPC. */
export const answers = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
  z.object({ result: z.unknown() }),
])

const log = z.object({ address: bytes, topics: z.array(bytes), data: bytes })

const receipt = z.object({
  status: quantity,
  blockNumber: quantity.nullable(),
  logs: z.array(log),
})

const placed = log.extend({ blockNumber: quantity, logIndex: quantity })

const block = z.object({ number: quantity, timestamp: quantity })

/** The result schemas of the methods in use, with the fields that are read; viem receives the results unchanged. */
export const results: Readonly<Record<string, z.ZodType>> = {
  eth_call: bytes,
  eth_chainId: quantity,
  eth_getBlockByNumber: block,
  eth_getLogs: z.array(placed),
  eth_getTransactionReceipt: receipt.nullable(),
}
