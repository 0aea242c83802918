import * as z from 'zod'
import { notConfigured, PlatformError } from '../platform/errors.ts'
import { sendRequest } from '../platform/http-client/client.ts'
import { targetOf } from '../platform/http-client/connections.ts'
import { HttpFailure } from '../platform/http-client/failure.ts'

/** A chain's node: JSON-RPC over HTTP. */
export interface Rpc {
  /** Absent where the operator has named none. */
  url: string | undefined
  /** The setting that names it, for the operator who has to set it. */
  setting: 'EVM_RPC_URL' | 'FARCASTER_RPC_URL' | 'TEMPO_RPC_URL'
}

export interface NodeError {
  code: number
  message: string
}

/** For the whole exchange, and for an answer: a receipt of many events is some hundred kilobytes. */
const bounds = { timeouts: { totalMs: 5_000 }, maxBytes: 1_000_000, pooled: true }

const answers = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
  z.object({ result: z.unknown() }),
])

/**
 * One question to a node, which gets 5 s and one megabyte for the whole of its answer, and is followed nowhere else.
 * viem's client is not used: it answers a failed connection to a signature check like a wrong signature, and puts the
 * node's URL, which may hold a key, into its errors.
 * @throws PlatformError 503 where no node is named, or it does not answer within these bounds
 */
export async function askNode(
  { url, setting }: Rpc,
  method: string,
  params: readonly unknown[],
): Promise<{ result: unknown } | { error: NodeError }> {
  if (url === undefined) throw notConfigured('Reading the chain', [setting])
  try {
    const json = { jsonrpc: '2.0', id: 1, method, params }
    const answer = await sendRequest({ ...bounds, target: targetOf(url), json })
    return answers.parse(JSON.parse((await answer.whole()).toString()))
  } catch (error) {
    throw unreachable(withoutUrl(error))
  }
}

/** 503 for a node that does not do what it is asked. */
export function unreachable(cause: Error): PlatformError {
  return new PlatformError('unavailable', 'The chain cannot be reached', { cause })
}

/** What went wrong, in words that cannot hold the node's URL. */
function withoutUrl(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('the node was not reached')
  const what = error instanceof HttpFailure ? error.message : error.name
  return new Error(`the node was not reached: ${what}`)
}
