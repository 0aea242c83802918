import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { approvalRequestRows } from './rows.ts'

/** The largest body of a request that can wait for an approval, in bytes: contract.md 17. */
const maxBody = 262_144

/** A request as it is carried out later. */
export interface ParkedRequest {
  /** Its fields, which must be JSON. */
  json: Readonly<Record<string, unknown>>
  /** At most 256 KB; absent without a body. */
  body?: Uint8Array | undefined
}

/**
 * Reads the body of a request that can wait for an approval into memory.
 * @throws PlatformError 413 above 256 KB
 */
export async function readBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    requireBodySize(size)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** @param size in bytes @throws PlatformError 413 above 256 KB */
export function requireBodySize(size: number): void {
  if (size > maxBody)
    throw new PlatformError(
      'payload-too-large',
      'The body of a request that can wait for an approval must have at most 256 KB',
    )
}

/** Returns the request of an approval, or undefined if it does not exist. */
export async function findRequest(
  { table }: Pick<Context, 'table'>,
  ref: { userId: string; approvalId: string },
): Promise<ParkedRequest | undefined> {
  const row = await approvalRequestRows.find(table, ref)
  if (row === undefined) return undefined
  return {
    json: JSON.parse(row.text) as Record<string, unknown>,
    ...(row.body !== undefined && { body: Buffer.from(row.body, 'base64') }),
  }
}
