import { sha256Hex } from '#shared/platform/crypto.ts'
import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { findGrant } from '../users/grants/find.ts'
import { grantRows } from '../users/grants/rows.ts'
import { familyOf, newTokens, refreshClaims, storedTokens } from '../users/grants/token.ts'
import { scopesOfRow } from '../users/stored-scopes.ts'
import { checkResource } from './authorize.ts'
import { findClient } from './clients.ts'
import { oauthError } from './errors.ts'
import { answerOf, refreshUntil } from './grant.ts'
import type { TokenAnswer } from './schema.ts'
import { scopesOf } from './scope.ts'

const invalid = () => oauthError('invalid_grant', 'The refresh token is unknown, used or expired')

/**
 * Exchanges a refresh token for new tokens, once. A second use ends its grant, with all its tokens: one of the two
 * users is a thief.
 * @param form the fields of the request
 * @throws PlatformError 400 invalid_grant, invalid_scope or invalid_target, 401 invalid_client
 */
export async function refreshTokens(
  { table, webUrl }: { table: Table; webUrl: string },
  form: Readonly<Record<string, string | undefined>>,
): Promise<TokenAnswer> {
  const client = await findClient(table, form.client_id)
  checkResource(form.resource, webUrl)
  const refresh = form.refresh_token ?? ''
  const claims = refreshClaims(refresh)
  const found = claims && (await findGrant(table, claims))
  if (claims === undefined || found === undefined || found.grant.clientId !== client.id)
    throw invalid()
  const { grant } = found
  // A token that was never issued for this grant is a guess, and ends nothing.
  if ((await sha256Hex(familyOf(refresh))) !== grant.familyHash) throw invalid()
  if (
    form.scope !== undefined &&
    scopesOf(form.scope).some((one) => !scopesOfRow(grant).includes(one))
  )
    throw oauthError('invalid_scope', 'scope must be within the granted scopes')
  const tokens = newTokens(claims, familyOf(refresh))
  const store = userStore(table, claims.userId)
  const sk = grantRows.sk({ grantId: grant.id })
  try {
    await store.update(sk, {
      set: { ...(await storedTokens(tokens, grant.access)), expiresAt: refreshUntil() },
      if: '#refreshHash = :used',
      values: { used: await sha256Hex(refresh) },
    })
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    await store.delete(sk)
    throw invalid()
  }
  return answerOf(tokens, grant)
}
