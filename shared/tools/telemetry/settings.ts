import { profileKey, toUser, type User } from '#shared/accounts/users/user.ts'
import { notConfigured, notFound, PlatformError } from '#shared/platform/errors.ts'
import { requireAllowedUrl } from '#shared/platform/http-client/allowed-url.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { Sealer } from '#shared/platform/seal.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { newTraceId, spanOf } from '#shared/signals/spans/span.ts'
import { postSpans } from './post.ts'
import type { NewTelemetry, TelemetryView } from './schema.ts'

/** Returns the context that a collector's headers are sealed with. */
const placeOf = (userId: string) => `user#${userId}#telemetry`

/** Returns the caller's collector. @throws PlatformError 404 for a deleted account */
export async function getTelemetry(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'table'>,
): Promise<TelemetryView> {
  return viewOf(await accountOf(ctx))
}

/**
 * Sets or removes the collector for spans of the caller's work.
 * @throws PlatformError 400 for an address that is not allowed, 401 if the sessions were ended in the meantime, 503
 * without WALLET_ENCRYPTION_KEY
 */
export async function setTelemetry(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'table'> &
    AuditContext &
    Can<'guard'> & { sealer: Sealer | undefined },
  { otlpUrl, headers, content }: NewTelemetry,
): Promise<TelemetryView> {
  const before = await accountOf(ctx)
  if (otlpUrl === null) {
    if (before.telemetry !== undefined) await change(ctx, before, undefined)
    return viewOf({})
  }
  const { guard, sealer, owner } = ctx
  if (sealer === undefined) throw notConfigured('Telemetry', ['WALLET_ENCRYPTION_KEY'])
  requireAllowedUrl(guard, 'otlpUrl', otlpUrl)
  const telemetry = {
    url: otlpUrl,
    headers: await sealer.seal(JSON.stringify(headers), placeOf(owner)),
    names: Object.keys(headers),
    content,
  }
  await change(ctx, before, telemetry)
  return viewOf({ telemetry })
}

/**
 * Writes the change with an audit entry, because a collector gets access to the user's work. The audit's closed list of
 * actions has none for collectors, so it is recorded as a service that is linked to the account, with the target
 * `telemetry`.
 */
async function change(
  ctx: AuditContext & Pick<UserContext, 'actor' | 'table'>,
  before: User,
  telemetry: User['telemetry'],
): Promise<void> {
  const { id: userId } = before
  // A password reset removes the collector. A concurrent request from before the reset must not set it again.
  const { accessEpoch } = ctx.actor.user
  const { write } = userStore(ctx.table, userId)
  const set = telemetry === undefined ? { remove: ['telemetry'] } : { set: { telemetry } }
  const refusals = await tryCommit(ctx.table, {
    user: write.update(profileKey, {
      ...set,
      if: '#accessEpoch = :accessEpoch',
      values: { accessEpoch },
    }),
    audit: await audit(ctx, 'provider.linked', {
      userId,
      target: 'telemetry',
      ...(before.telemetry && { before: viewOf(before) }),
      ...(telemetry && { after: viewOf({ telemetry }) }),
    }),
  })
  if (refusals !== undefined) throw new PlatformError('unauthorized', 'Unauthorized')
}

/**
 * Sends one span to the caller's collector and returns the collector's response.
 * @throws PlatformError 409 without a collector, 503 without WALLET_ENCRYPTION_KEY
 */
export async function testTelemetry(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'table'> &
    Can<'guard'> & { sealer: Sealer | undefined },
): Promise<{ ok: boolean; status: number | null }> {
  const collector = await collectorOf(ctx.sealer, await accountOf(ctx))
  if (collector === undefined) throw new PlatformError('conflict', 'Set otlpUrl first')
  const now = Date.now()
  const span = spanOf('invoke_agent', {
    traceId: newTraceId(),
    of: 'test',
    start: now,
    end: now,
    attributes: {},
  })
  const { taken: ok, status } = await postSpans(ctx.guard, collector, [span])
  return { ok, status }
}

/** Returns a user's collector with its headers; undefined if the user has none. */
export async function collectorOf(
  sealer: Sealer | undefined,
  { id, telemetry }: Pick<User, 'id' | 'telemetry'>,
): Promise<{ url: string; headers: Record<string, string> } | undefined> {
  if (telemetry === undefined) return undefined
  if (sealer === undefined) throw notConfigured('Telemetry', ['WALLET_ENCRYPTION_KEY'])
  const headers = await sealer.open(telemetry.headers, placeOf(id))
  if (headers === undefined)
    throw new Error('the headers of a collector were not sealed by the key of this platform')
  return { url: telemetry.url, headers: JSON.parse(headers) as Record<string, string> }
}

async function accountOf({ table, owner }: Pick<UserContext, 'owner' | 'table'>) {
  const row = await userStore(table, owner).get(profileKey)
  if (row === undefined) throw notFound('User')
  return toUser(row)
}

function viewOf({ telemetry }: Pick<User, 'telemetry'>): TelemetryView {
  const { url = null, names = [], content = false } = telemetry ?? {}
  return { otlpUrl: url, headers: names, content }
}
