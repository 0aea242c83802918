import * as z from 'zod'
import { notConfigured, PlatformError } from '../platform/errors.ts'
import { boundedFetch } from '../platform/fetch.ts'

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
const ask = boundedFetch({ timeoutMs: 5_000, maxBytes: 1_000_000 })

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
    const response = await ask(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return answers.parse(await response.json())
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
  const code = (error.cause as { code?: unknown } | undefined)?.code
  return new Error(`the node was not reached: ${typeof code === 'string' ? code : error.name}`)
}
