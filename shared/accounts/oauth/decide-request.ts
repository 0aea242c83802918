import { randomToken, sha256Hex } from '#shared/platform/crypto.ts'
import { notFound } from '#shared/platform/errors.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { ifPresent } from '#shared/platform/table/if-present.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import { scopesOfRow } from '../users/stored-scopes.ts'
import { renewClient } from './clients.ts'
import { withAnswer } from './redirect.ts'
import { codeRows, type OAuthRequest, requestRows } from './rows.ts'

/** contract.md 12. */
const codeMs = 60_000

/** Retention of a used code in seconds: a second use is an attack and must be detected. */
const rememberedSeconds = 86_400

/**
 * Returns a request that waits for the caller's answer.
 * @throws PlatformError 404 for another user's request, or an answered one
 */
export async function findRequest(
  { table, actor }: Pick<UserContext, 'actor' | 'table'>,
  { id }: { id: string },
): Promise<OAuthRequest> {
  const row = await userStore(table, actor.user.id).get(requestRows.sk({ requestId: id }))
  if (row === undefined) throw notFound('Request')
  return requestRows.parse(row)
}

/**
 * Answers a request, once. @returns the redirect with the answer
 * @param input.webUrl the issuer: RFC 9207
 * @throws PlatformError 404 for another user's request, or an answered one
 */
export async function decideRequest(
  ctx: Pick<UserContext, 'actor' | 'table' | 'requestId'>,
  { id, approve, ip, webUrl }: { id: string; approve: boolean; ip: string; webUrl: string },
): Promise<string> {
  const { id: requestId, state, ...details } = await findRequest(ctx, { id })
  const { id: userId, accessEpoch } = ctx.actor.user
  const { redirectUri } = details
  const { write } = userStore(ctx.table, userId)
  const request = write.delete(requestRows.sk({ requestId }), ifPresent())
  const errors = { request: () => notFound('Request') }
  if (!approve) {
    await commit(ctx.table, { request }, errors)
    return withAnswer(redirectUri, { error: 'access_denied', state, iss: webUrl })
  }
  const code = randomToken()
  const now = Date.now()
  const row = {
    ...details,
    userId,
    accessEpoch,
    address: ip,
    validUntil: isoOf(now + codeMs),
  }
  const expiresAt = epochSeconds(now) + rememberedSeconds
  const { clientId, clientName } = details
  await commit(
    ctx.table,
    {
      request,
      code: { put: codeRows.put({ codeHash: await sha256Hex(code) }, row, { expiresAt }) },
      client: renewClient(clientId),
      audit: await audit(ctx, 'key.created', {
        userId,
        target: requestId,
        after: { clientId, clientName, scopes: scopesOfRow(details) },
      }),
    },
    errors,
  )
  return withAnswer(redirectUri, { code, state, iss: webUrl })
}
