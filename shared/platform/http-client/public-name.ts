import ipaddr from 'ipaddr.js'
import * as z from 'zod'
import { once } from '../once.ts'
import { sendRequest } from './client.ts'
import { targetOf } from './connections.ts'
import { HttpFailure } from './failure.ts'
import { isPublicAddress } from './public-address.ts'
import { AddressRefused } from './public-url.ts'

/** DNS type numbers of A and AAAA: RFC 1035, RFC 3596. */
const types = { A: 1, AAAA: 28 }

const totalMs = 5000
const maxBytes = 65_536

/**
 * The fields of the response that are read:
 * https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/
 */
const message = once(() =>
  z.object({
    Status: z.number(),
    Answer: z.array(z.object({ type: z.number(), data: z.string() })).optional(),
  }),
)

export interface ResolverOptions {
  /** DNS_RESOLVER_URL. */
  resolverUrl: string
  signal: AbortSignal
}

/**
 * Checks the addresses of a host, for platforms whose connections cannot be bound to a resolved address.
 * @param host the host of a URL whose literal address was checked
 * @throws AddressRefused if one of its addresses is not public, HttpFailure if it has no address or the resolver does
 * not respond
 */
export async function requirePublicName(host: string, options: ResolverOptions): Promise<void> {
  if (ipaddr.isValid(host.replace(/^\[|\]$/g, ''))) return
  const kinds = Object.keys(types) as (keyof typeof types)[]
  const found = await Promise.all(kinds.map((kind) => addressesOf(host, kind, options)))
  const addresses = found.flat()
  if (addresses.length === 0) throw new HttpFailure('unreachable', 'the name does not resolve')
  if (!addresses.every(isPublicAddress)) throw new AddressRefused()
}

async function addressesOf(
  host: string,
  kind: keyof typeof types,
  { resolverUrl, signal }: ResolverOptions,
): Promise<string[]> {
  const answer = await sendRequest({
    target: targetOf(`${resolverUrl}?name=${encodeURIComponent(host)}&type=${kind}`),
    headers: { accept: 'application/dns-json' },
    timeouts: { totalMs },
    maxBytes,
    signal,
  })
  const body = message().safeParse(parsed(await answer.whole()))
  // 0 is success, 3 is "no such name": RFC 1035.
  if (answer.status !== 200 || !body.success || ![0, 3].includes(body.data.Status))
    throw new HttpFailure('unreachable', 'the name could not be looked up')
  const { Answer = [] } = body.data
  return Answer.filter(({ type }) => type === types[kind]).map(({ data }) => data)
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
