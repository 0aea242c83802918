import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { sealer } from '#shared/platform/seal.ts'
import { commit } from '#shared/platform/table/commit.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { type UserStore, userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import {
  type InstallationMode,
  installationRows,
  installationsPartition,
  installationTokenRows,
} from './rows.ts'

export interface InstallationRequest {
  /** The id of a user who may be unknown to the platform: contract.md 10. */
  userId: string
  mode: InstallationMode
  gatewayToken?: string | undefined
}

/**
 * Registers a user's installation, which also counts as a heartbeat. A second registration replaces the mode and the
 * token, or removes the stored token if it has none. The time of the first registration does not change.
 * @param now epoch milliseconds
 * @throws PlatformError 400 if a trusted caller acts for another user, 503 for a token without a key to seal it
 */
export async function registerInstallation(
  {
    table,
    owner,
    encryptionKey,
  }: Pick<Context<InternalActor>, 'owner' | 'table'> & Can<'encryptionKey'>,
  { userId, mode, gatewayToken }: InstallationRequest,
  now = Date.now(),
): Promise<void> {
  if (owner !== undefined && owner !== userId)
    throw new PlatformError('bad-request', 'userId differs from x-user-id')
  const store = userStore(table, userId)
  const at = isoOf(now)
  await commit(store, {
    installation: store.write.update(installationRows.sk({}), {
      set: { userId, mode, lastSeen: at, gsi1pk: installationsPartition },
      expression:
        '#registeredAt = if_not_exists(#registeredAt, :at), #gsi1sk = if_not_exists(#gsi1sk, :place)',
      values: { at, place: `${at}#${userId}` },
    }),
    token: await tokenWrite(store, { encryptionKey, gatewayToken }),
  })
}

async function tokenWrite(
  store: UserStore,
  { encryptionKey, gatewayToken }: Can<'encryptionKey'> & Pick<InstallationRequest, 'gatewayToken'>,
): Promise<Write> {
  const sk = installationTokenRows.sk({})
  if (gatewayToken === undefined) return store.write.delete(sk)
  if (encryptionKey === undefined)
    throw notConfigured('Storing gateway tokens', ['WALLET_ENCRYPTION_KEY'])
  const sealed = await sealer(encryptionKey).seal(gatewayToken, tokenPlace(store.userId))
  return store.write.put(sk, installationTokenRows.attributes({ sealed }))
}

/** Returns the context that a token is sealed with: a copy in another user's row cannot be opened. */
function tokenPlace(userId: string): string {
  return `installation-token#${userId}`
}
