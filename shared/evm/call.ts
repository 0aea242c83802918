import type { Address, Hex } from 'viem'
import * as z from 'zod'
import { notConfigured, PlatformError } from '../platform/errors.ts'

/** A chain's node: JSON-RPC over HTTP. */
export interface Rpc {
  /** Absent where the operator has named none. */
  url: string | undefined
  /** The setting that names it, for whoever has to set it. */
  setting: 'EVM_RPC_URL' | 'FARCASTER_RPC_URL'
}

const timeoutMs = 5_000

const answers = z.union([
  z.object({ result: z.string().regex(/^0x[0-9a-f]*$/i) }),
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
])

/**
 * One `eth_call` at the latest block. viem's client is not used: it answers a failed connection to a signature check
 * like a wrong signature, and puts the node's URL, which may hold a key, into its errors.
 * @param call without `to` the data is run as the code that creates a contract
 * @returns what the code returned, undefined where it reverted
 * @throws PlatformError 503 where no node is named, or it does not answer within 5 s
 */
export async function ethCall(
  { url, setting }: Rpc,
  call: { to?: Address; data: Hex },
): Promise<Hex | undefined> {
  if (url === undefined) throw notConfigured('Reading the chain', [setting])
  const answer = await post(url, {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_call',
    params: [call, 'latest'],
  })
  if ('result' in answer) return answer.result as Hex
  if (isRevert(answer.error)) return undefined
  throw unreachable(new Error(`the node answered ${answer.error.code}: ${answer.error.message}`))
}

/** Nodes agree on code 3 for a revert (EIP-1474's successors) only partly; the others say it in words. */
function isRevert({ code, message }: { code: number; message: string }): boolean {
  return code === 3 || /revert|invalid opcode|out of gas|vm execution/i.test(message)
}

async function post(url: string, body: object): Promise<z.output<typeof answers>> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return answers.parse(await response.json())
  } catch (error) {
    throw unreachable(withoutUrl(error))
  }
}

/** What went wrong, in words that cannot hold the node's URL. */
function withoutUrl(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('the node was not reached')
  const code = (error.cause as { code?: unknown } | undefined)?.code
  return new Error(`the node was not reached: ${typeof code === 'string' ? code : error.name}`)
}

function unreachable(cause: Error): PlatformError {
  return new PlatformError('unavailable', 'The chain cannot be reached', { cause })
}
