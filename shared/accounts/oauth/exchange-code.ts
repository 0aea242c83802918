import { equalInConstantTime, sha256Hex, toBase64Url } from '#shared/platform/crypto.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { grantRows } from '../users/grants/rows.ts'
import { checkResource } from './authorize.ts'
import { findClient } from './clients.ts'
import { oauthError } from './errors.ts'
import { newGrant } from './grant.ts'
import { codeRows, type OAuthCode } from './rows.ts'
import type { TokenAnswer } from './schema.ts'

const invalid = () => oauthError('invalid_grant', 'The code is unknown, used or expired')

/**
 * Exchanges an authorization code for tokens, once. A second use by the same program ends the grant of the first,
 * even if both uses are concurrent: one of the two is a thief.
 * @param form the fields of the request
 * @throws PlatformError 400 invalid_grant, 401 invalid_client
 */
export async function exchangeCode(
  { table, webUrl }: { table: Table; webUrl: string },
  form: Readonly<Record<string, string | undefined>>,
  now = Date.now(),
): Promise<TokenAnswer> {
  const client = await findClient(table, form.client_id)
  checkResource(form.resource, webUrl)
  const key = codeRows.key({ codeHash: await sha256Hex(form.code ?? '') })
  const item = await table.get(key)
  if (item === undefined) throw invalid()
  const code = codeRows.parse(item)
  const itsOwn =
    code.clientId === client.id &&
    (form.redirect_uri === undefined || form.redirect_uri === code.redirectUri) &&
    (await verifies(form.code_verifier, code.challenge))
  if (!itsOwn) throw invalid()
  if (code.grantId !== undefined) return endGrant(table, code)
  if (Date.parse(code.validUntil) <= now) throw invalid()
  const { id: grantId, parts, answer } = await newGrant(table, code)
  const refusals = await tryCommit(table, {
    code: {
      update: key,
      set: { grantId },
      if: 'attribute_exists(pk) AND attribute_not_exists(#grantId)',
    },
    ...parts,
  })
  if (refusals === undefined) return answer
  const usedCode = refusals.code?.item
  if (usedCode !== undefined) return endGrant(table, codeRows.parse(usedCode))
  throw invalid()
}

/** Revokes the grant that was created from a code. */
async function endGrant(
  table: Table,
  { userId, grantId }: Pick<OAuthCode, 'userId' | 'grantId'>,
): Promise<never> {
  if (grantId !== undefined) await userStore(table, userId).delete(grantRows.sk({ grantId }))
  throw invalid()
}

/** PKCE, S256: RFC 7636, 4.6. */
async function verifies(verifier: string | undefined, challenge: string): Promise<boolean> {
  if (verifier === undefined || !/^[\w.~-]{43,128}$/.test(verifier)) return false
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return equalInConstantTime(toBase64Url(new Uint8Array(digest)), challenge)
}
