import { type Agent, agentAlive, agentKey, ownerOf } from '#shared/agents/record/agent.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { deleteCounted } from '#shared/platform/table/delete-counted.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { adapterContext } from '../adapter-context.ts'
import { setUp } from '../adapters/telegram/set-up.ts'
import { type Channel, channelSealer, secretsPlace } from '../channel.ts'
import { keepPolled } from '../events/keep-polled.ts'
import { insertChannel } from '../insert.ts'
import { removeChats } from '../remove-chats.ts'
import { requireRoom } from '../require-room.ts'
import { channelCountRows, channelLocatorRows, channelPollRows, channelRows } from '../rows.ts'
import { unregister } from '../unregister.ts'
import { isPolled, receiveUrl } from '../view.ts'
import type { ConfigChannelContext } from './context.ts'
import { configChannelId } from './id.ts'
import { keepDecisions } from './senders.ts'

/**
 * Creates the channel of an agent's config, or gives it another token.
 * @throws PlatformError 400 for a token that Telegram refuses, 404, 409 CHANNEL_LIMIT_REACHED, 502, 503 without an
 * encryption key
 */
export async function putConfigChannel(
  ctx: ConfigChannelContext,
  agent: Agent,
  token: string,
): Promise<void> {
  const seals = channelSealer(ctx)
  const userId = ownerOf(agent)
  const id = configChannelId(agent)
  const key = { userId, agentId: agent.id, channelId: id }
  const before = await channelRows.find(ctx.table, key)
  if (before === undefined) await requireRoom(ctx.table, key)
  const opened = {
    id,
    agentId: agent.id,
    kind: 'telegram',
    settings: {},
    secrets: { token },
  } as const
  const address = receiveUrl(ctx.webUrl, opened)
  const { settings = {} } = await setUp(adapterContext(ctx), opened, address)
  const channel: Channel = {
    id,
    userId,
    agentId: agent.id,
    kind: 'telegram',
    settings,
    sealed: await seals.seal(JSON.stringify({ token }), secretsPlace(id)),
    createdAt: before?.createdAt ?? isoOf(adapterContext(ctx).now),
    revision: (before?.revision ?? 0) + 1,
  }
  if (before === undefined) {
    await keepDecisions(ctx.table, agent, id)
    return insertChannel(ctx.table, channel, isPolled(ctx.webUrl, channel))
  }
  await commit(
    ctx.table,
    {
      channel: {
        put: channelRows.put(key, channel),
        if: '#revision = :revision',
        values: { revision: before.revision },
      },
      agent: { check: agentKey({ userId, agentId: agent.id }), ...agentAlive },
    },
    {
      agent: () => notFound('Agent'),
      // Another delivery of the request was first. If its token was outdated, the watchdog's tick finds the agent again.
      channel: () => new PlatformError('unavailable', 'The channel was changed in the meantime'),
    },
  )
  await keepPolled(ctx, channel)
}

/** Deletes the channel of an agent's config, and its registration at Telegram. */
export async function removeConfigChannel(ctx: ConfigChannelContext, agent: Agent): Promise<void> {
  const userId = ownerOf(agent)
  const channelId = configChannelId(agent)
  const key = { userId, agentId: agent.id, channelId }
  const channel = await channelRows.find(ctx.table, key)
  if (channel === undefined) return
  await unregister(ctx, channel)
  await deleteCounted(ctx.table, {
    delete: channelRows.key(key),
    count: { in: channelCountRows.key({ userId, agentId: agent.id }), attribute: 'count' },
  })
  await ctx.table.delete(channelLocatorRows.key({ channelId }))
  await ctx.table.delete(channelPollRows.key({ channelId }))
  await removeChats(userStore(ctx.table, userId), { agentId: agent.id, channelId })
}
