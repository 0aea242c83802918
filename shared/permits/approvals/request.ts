import type { Context } from '#shared/platform/identity/context.ts'
import { approvalRequestRows } from './rows.ts'

/** A request as it is carried out later. */
export interface ParkedRequest {
  /** Its fields, which must be JSON. */
  json: Readonly<Record<string, unknown>>
  /** At most 256 KB; absent without a body. */
  body?: Uint8Array | undefined
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
