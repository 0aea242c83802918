import {
  CallExecutionError,
  type Client,
  ContractFunctionExecutionError,
  createClient,
  custom,
  TransactionReceiptNotFoundError,
} from 'viem'
import * as z from 'zod'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import { sendRequest } from '#shared/platform/http-client/client.ts'
import { targetOf } from '#shared/platform/http-client/connections.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'

/** A chain's node: JSON-RPC over HTTP. */
export interface Rpc {
  /** Undefined if the operator has not set it. */
  url: string | undefined
  /** The name of the setting, for error messages to the operator. */
  setting: 'EVM_RPC_URL' | 'FARCASTER_RPC_URL' | 'TEMPO_RPC_URL'
}

/** Limits of an exchange and of its response. A receipt with many events has some hundred kilobytes. */
const bounds = { timeouts: { totalMs: 5_000 }, maxBytes: 1_000_000, pooled: true }

/** The error code of a reverted call, for nodes and viem alike. */
const revertedCode = 3

/**
 * Creates viem's client over the platform's own HTTP client, so that no error contains the node's URL, which may
 * contain a key. A call has a timeout of 5 s and a response limit of one megabyte, and is never retried. EIP-3668 is
 * disabled, so that contracts from users cannot make the platform read from other servers.
 */
export function chainClient(rpc: Rpc): Client {
  const request = (asked: { method: string; params?: unknown }) => ask(rpc, asked)
  return createClient({ transport: custom({ request }, { retryCount: 0 }), ccipRead: false })
}

/** Rethrows a node's failure without viem's wrapping. @throws PlatformError 503 */
export function reported<T>(question: Promise<T>): Promise<T> {
  return question.catch((error: unknown) => {
    for (let at = error; at instanceof Error; at = at.cause)
      if (at instanceof PlatformError) throw at
    throw error
  })
}

const refusals = [
  CallExecutionError,
  ContractFunctionExecutionError,
  TransactionReceiptNotFoundError,
]

/**
 * Returns the result of a chain call; undefined if the contract or transaction does not exist, or the contract
 * reverted.
 * @throws PlatformError 503
 */
export function undefinedIfRefused<T>(question: Promise<T>): Promise<T | undefined> {
  return reported(question).catch((error: unknown) => {
    if (refusals.some((refusal) => error instanceof refusal)) return undefined
    throw error
  })
}

/** Returns the error 503 for a node that fails. */
export function unreachable(cause: Error): PlatformError {
  return new PlatformError('unavailable', 'The chain cannot be reached', { cause })
}

async function ask(
  { url, setting }: Rpc,
  { method, params }: { method: string; params?: unknown },
): Promise<unknown> {
  if (url === undefined) throw notConfigured('Reading the chain', [setting])
  const answer = await exchange(url, { jsonrpc: '2.0', id: 1, method, params }, answers)
  if ('result' in answer) {
    const result = results[method]?.safeParse(answer.result)
    if (result?.success) return result.data
    throw unreachable(new Error(`the node’s answer to ${method} is invalid`))
  }
  const { code, message } = answer.error
  // The node's message is omitted, because it may contain its URL.
  if (code === revertedCode || isRevert(message))
    throw Object.assign(new Error('execution reverted'), { code: revertedCode })
  throw unreachable(new Error(`the node answered ${method} with ${code}`))
}

/** Returns whether a message reports a revert: only some nodes report it by the error code. */
function isRevert(message: string): boolean {
  return /revert|invalid opcode|out of gas|vm execution/i.test(message)
}

/** Sends a JSON-RPC body. @throws PlatformError 503, also for a response that does not match the schema */
export async function exchange<Schema extends z.ZodType>(
  url: string,
  json: object,
  form: Schema,
): Promise<z.output<Schema>> {
  try {
    const answer = await sendRequest({ ...bounds, target: targetOf(url), json })
    return form.parse(JSON.parse((await answer.whole()).toString()))
  } catch (error) {
    throw unreachable(withoutUrl(error))
  }
}

/** Returns an error whose message cannot contain the node's URL. */
function withoutUrl(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('the node was not reached')
  const reason = error instanceof HttpFailure ? error.message : error.name
  return new Error(`the node was not reached: ${reason}`)
}

const bytes = z.string().regex(/^0x[0-9a-f]*$/i)
const quantity = z.string().regex(/^0x[0-9a-f]+$/i)

/** The response of a node in JSON-RPC. */
const answers = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
  z.object({ result: z.unknown() }),
])

const log = z.object({ address: bytes, topics: z.array(bytes), data: bytes })

const receipt = z.object({
  status: quantity,
  blockNumber: quantity.nullable(),
  logs: z.array(log),
})

const placed = log.extend({
  blockNumber: quantity,
  logIndex: quantity,
  transactionHash: bytes.nullish(),
})

const block = z.object({ number: quantity, timestamp: quantity })

/** The result schemas of the methods in use, with the fields that are read; viem receives the results unchanged. */
const results: Readonly<Record<string, z.ZodType>> = {
  eth_call: bytes,
  eth_chainId: quantity,
  eth_getBlockByNumber: block,
  eth_getLogs: z.array(placed),
  eth_getTransactionReceipt: receipt.nullable(),
}
