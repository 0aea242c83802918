import {
  CallExecutionError,
  type Client,
  ContractFunctionExecutionError,
  createClient,
  custom,
  TransactionReceiptNotFoundError,
} from 'viem'
import type * as z from 'zod'
import { notConfigured, PlatformError } from '../platform/errors.ts'
import { sendRequest } from '../platform/http-client/client.ts'
import { targetOf } from '../platform/http-client/connections.ts'
import { HttpFailure } from '../platform/http-client/failure.ts'
import { answers, results } from './answers.ts'

/** A chain's node: JSON-RPC over HTTP. */
export interface Rpc {
  /** Absent where the operator has named none. */
  url: string | undefined
  /** The setting that names it, for the operator who has to set it. */
  setting: 'EVM_RPC_URL' | 'FARCASTER_RPC_URL' | 'TEMPO_RPC_URL'
}

/** For the whole exchange, and for an answer: a receipt of many events is some hundred kilobytes. */
const bounds = { timeouts: { totalMs: 5_000 }, maxBytes: 1_000_000, pooled: true }

/** By which nodes and viem agree that a call was reverted. */
const revertedCode = 3

/**
 * viem's client of a chain over the platform's own HTTP client, so that no error holds the node's URL, which may hold a
 * key. A question gets 5 s and one megabyte for the whole of its answer, and is asked once. Contracts that users name
 * cannot have the platform read from elsewhere (EIP-3668 is off).
 */
export function chainClient(rpc: Rpc): Client {
  const request = (asked: { method: string; params?: unknown }) => ask(rpc, asked)
  return createClient({ transport: custom({ request }, { retryCount: 0 }), ccipRead: false })
}

/** Gives a failure of the node as such: viem wraps it. @throws PlatformError 503 */
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
 * What a question to a chain comes to; undefined where the contract or transaction is not there, or the contract refused.
 * @throws PlatformError 503
 */
export function unlessRefused<T>(question: Promise<T>): Promise<T | undefined> {
  return reported(question).catch((error: unknown) => {
    if (refusals.some((refusal) => error instanceof refusal)) return undefined
    throw error
  })
}

/** 503 for a node that does not do what it is asked. */
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
    throw unreachable(new Error(`the node’s answer to ${method} is malformed`))
  }
  const { code, message } = answer.error
  // Without its words, which may repeat the node's URL.
  if (code === revertedCode || isRevert(message))
    throw Object.assign(new Error('execution reverted'), { code: revertedCode })
  throw unreachable(new Error(`the node answered ${method} with ${code}`))
}

/** Only some nodes answer a revert with its code; the others say it in words. */
function isRevert(message: string): boolean {
  return /revert|invalid opcode|out of gas|vm execution/i.test(message)
}

/** Sends a body of JSON-RPC. @throws PlatformError 503, also for an answer of another form */
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

/** What went wrong, in words that cannot hold the node's URL. */
function withoutUrl(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('the node was not reached')
  const what = error instanceof HttpFailure ? error.message : error.name
  return new Error(`the node was not reached: ${what}`)
}
