import * as z from 'zod'
import type { ParkedRequest } from '#shared/permits/approvals/request.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { storedHeaders } from '#shared/platform/http-client/forwarded.ts'
import type { BrokerTarget } from './target.ts'

/** The largest body of a parked request, in bytes: contract.md 17. */
const longestBody = 256 * 1024

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
  return { json, ...(body !== null && { body: await wholeBody(body) }) }
}

/** Returns the fields of a parked request. */
export function fromParked({ json }: ParkedRequest): z.output<typeof parkedFields> {
  return parkedFields.parse(json)
}

async function wholeBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > longestBody)
      throw new PlatformError(
        'payload-too-large',
        'A request that needs an approval may have a body of at most 256 KB',
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
