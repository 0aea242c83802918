import * as z from 'zod'
import { type ParkedRequest, readBody } from '#shared/permits/approvals/request.ts'
import { storedHeaders } from '#shared/platform/http-client/forwarded.ts'
import type { BrokerTarget } from './target.ts'

/** The fields of a broker request that is carried out later. */
const parkedFields = z.object({
  name: z.string(),
  host: z.string(),
  /** With its query. */
  path: z.string(),
  method: z.string(),
  headers: z.record(z.string(), z.string()),
})

interface SentRequest extends BrokerTarget {
  method: string
  headers: Headers
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null
}

/**
 * Returns a broker request as it is carried out after its approval, with the headers that are forwarded.
 * @throws PlatformError 413 for a body above 256 KB
 */
export async function toParked({
  name,
  host,
  path,
  method,
  headers,
  body,
}: SentRequest): Promise<ParkedRequest> {
  const json = { name, host, path, method, headers: storedHeaders(headers, body !== null) }
  return { json, ...(body !== null && { body: await readBody(body) }) }
}

/** Returns the fields of a parked request. */
export function fromParked({ json }: ParkedRequest): z.output<typeof parkedFields> {
  return parkedFields.parse(json)
}
