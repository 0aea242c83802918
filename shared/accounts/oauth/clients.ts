import { newId } from '#shared/platform/ids.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { oauthError } from './errors.ts'
import { isRedirect } from './redirect.ts'
import { clientRows, type OAuthClient } from './rows.ts'
import type { ClientMetadata } from './schema.ts'

/** Retention of a program before a user authorizes it, in days. Anyone can register any number of programs. */
const untilFirstUse = 7

/** Retention of a program after a user last authorized it, in days. */
const afterUse = 180

/**
 * Registers a program: RFC 7591. Invalid redirect URIs are left out; the response lists the stored ones.
 * @throws PlatformError 400 invalid_redirect_uri if no URI is valid, invalid_client_metadata for a program with a
 * secret
 */
export async function registerClient(
  { table }: { table: Table },
  {
    client_name: name,
    redirect_uris: requestedUris = [],
    token_endpoint_auth_method,
  }: ClientMetadata,
): Promise<OAuthClient> {
  if (token_endpoint_auth_method !== undefined && token_endpoint_auth_method !== 'none')
    throw oauthError('invalid_client_metadata', 'token_endpoint_auth_method must be none')
  const redirectUris = [...new Set(requestedUris)].filter(isRedirect)
  if (requestedUris.length > 0 && redirectUris.length === 0)
    throw oauthError(
      'invalid_redirect_uri',
      'redirect_uris must be https, http to 127.0.0.1, [::1] or localhost, or of a program’s own scheme',
    )
  const client = {
    id: newId(clientRows.id),
    name: name === undefined || name === '' ? 'A program' : name,
    redirectUris,
    createdAt: new Date().toISOString(),
  }
  await table.put(
    clientRows.put({ clientId: client.id }, client, { expiresAt: expiresIn(untilFirstUse) }),
  )
  return client
}

/**
 * @param kind the kind of the error: 401 if the program itself sends the request
 * @throws PlatformError invalid_client for an unregistered program
 */
export async function findClient(
  table: Table,
  clientId: string | undefined,
  kind: 'bad-request' | 'unauthorized' = 'unauthorized',
): Promise<OAuthClient> {
  const isClientId = clientId !== undefined && /^cli_[0-9a-z]{26}$/.test(clientId)
  const row = isClientId ? await table.get(clientRows.key({ clientId })) : undefined
  if (row === undefined) throw oauthError('invalid_client', 'client_id is not registered', kind)
  return clientRows.parse(row)
}

/** Renews a client's registration, as a part of the transaction that grants it access. */
export function renewClient(clientId: string) {
  return {
    update: clientRows.key({ clientId }),
    set: { expiresAt: expiresIn(afterUse) },
    if: 'attribute_exists(pk)',
  }
}

function expiresIn(days: number): number {
  return epochSeconds() + days * 86_400
}
