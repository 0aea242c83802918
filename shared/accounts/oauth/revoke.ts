import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { findGrant } from '../users/grants/find.ts'
import { grantRows } from '../users/grants/rows.ts'
import { accessClaims, familyOf, refreshClaims } from '../users/grants/token.ts'

/** Ends the grant of a token at its program's request: RFC 7009. An invalid token counts as revoked. */
export async function revokeToken(
  { table }: { table: Table },
  { token = '', client_id: clientId }: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const claims = accessClaims(token) ?? refreshClaims(token)
  const found = claims && (await findGrant(table, claims))
  if (found === undefined || (clientId !== undefined && clientId !== found.grant.clientId)) return
  const { grant, user } = found
  const hash = await sha256Hex(token)
  const family = await sha256Hex(familyOf(token))
  const isOfGrant = grant.familyHash === family || grant.access.some((one) => one.hash === hash)
  if (isOfGrant) await userStore(table, user.id).delete(grantRows.sk({ grantId: grant.id }))
}
