import { requireAgent } from '#shared/agents/record/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { isoOf } from '#shared/platform/times.ts'
import { adapterContext, type CallsServices } from './adapter-context.ts'
import { adapterOf } from './adapters/index.ts'
import { type Channel, channelSealer, secretsPlace } from './channel.ts'
import { dividedFields } from './divided-fields.ts'
import { insertChannel } from './insert.ts'
import { requireRoom } from './require-room.ts'
import { channelRows } from './rows.ts'
import type { CreatedChannel, NewChannel } from './schema.ts'
import { isPolled, receiveUrl, viewOf } from './view.ts'

/**
 * Creates a channel, checks its credentials at the service and registers the address for its events.
 * @throws PlatformError 400 for credentials that the service refuses, 404, 409 CHANNEL_LIMIT_REACHED, 502, 503 without
 * an encryption key
 */
export async function createChannel(
  ctx: UserContext & CallsServices,
  { agentId, body: { kind, ...fields } }: { agentId: string; body: NewChannel },
): Promise<CreatedChannel> {
  const seals = channelSealer(ctx)
  const { owner: userId, table } = ctx
  await requireAgent(ctx, { agentId, owner: userId })
  await requireRoom(table, { userId, agentId })
  const adapter = adapterOf(kind)
  const id = newId(channelRows.id)
  const secret = adapter.makeSecret?.()
  const { settings, secrets } = dividedFields(adapter, {
    ...fields,
    ...(secret !== undefined && { secret }),
  })
  const opened = { id, agentId, kind, settings, secrets }
  const stored = await adapter.setUp(adapterContext(ctx), opened, receiveUrl(ctx.webUrl, opened))
  const channel: Channel = {
    id,
    userId,
    agentId,
    kind,
    settings: { ...settings, ...stored.settings },
    sealed: await seals.seal(JSON.stringify({ ...secrets, ...stored.secrets }), secretsPlace(id)),
    createdAt: isoOf(adapterContext(ctx).now),
    revision: 1,
  }
  await insertChannel(table, channel, isPolled(ctx.webUrl, channel))
  return { ...viewOf(ctx.webUrl, channel, 0), ...(secret !== undefined && { secret }) }
}
