import { userCounter } from '#shared/accounts/users/counter.ts'
import { limitReached } from '#shared/platform/errors.ts'
import { requireAllowedUrl } from '#shared/platform/http-client/allowed-url.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { insertCounted } from '#shared/platform/table/insert-counted.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { newWebhookSecret } from '#shared/platform/webhook-signature.ts'
import { endpointRows } from '#shared/signals/outbound-webhooks/rows.ts'
import { eventAttributes } from '#shared/signals/outbound-webhooks/types.ts'
import { sealerOf, secretPlace } from './context.ts'
import type { CreatedEndpoint, NewEndpoint } from './schema.ts'

/** contract.md 11. */
const endpointLimit = 10

/**
 * Creates an endpoint, which receives a user's events of some types from now on, and returns its signing secret, which
 * is not returned again.
 * @throws PlatformError 400 for an address that is not allowed, 409 WEBHOOK_ENDPOINT_LIMIT_REACHED, 503 without
 * WALLET_ENCRYPTION_KEY
 */
export async function createEndpoint(
  ctx: UserContext & Can<'encryptionKey' | 'guard'>,
  { url, events }: NewEndpoint,
): Promise<CreatedEndpoint> {
  const seals = sealerOf(ctx)
  requireAllowedUrl(ctx.guard, 'url', url)
  const { owner } = ctx
  const { keyEpoch: epoch = 0 } = ctx.actor.user
  const id = newId(endpointRows.id)
  const secret = newWebhookSecret()
  const createdAt = new Date().toISOString()
  const endpoint = { id, userId: owner, url, ...eventAttributes(events), epoch, createdAt }
  const sealed = await seals.seal(secret, secretPlace(id))
  await insertCounted(userStore(ctx.table, owner), {
    put: endpointRows.put({ userId: owner, endpointId: id }, { ...endpoint, secret: sealed }),
    count: userCounter(owner, endpointRows, endpointLimit),
    limitReached: endpointLimitReached,
  })
  return { id, url, events, secret }
}

const endpointLimitReached = () =>
  limitReached(
    'WEBHOOK_ENDPOINT_LIMIT_REACHED',
    `You have ${endpointLimit} webhook endpoints already; delete one to create another`,
    { limit: endpointLimit },
  )
