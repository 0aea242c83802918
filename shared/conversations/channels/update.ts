import { requireAgent } from '#shared/agents/record/find.ts'
import { channelTokenOf } from '#shared/agents/record/watch/channel-due.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { parseInput } from '#shared/platform/validation.ts'
import { adapterContext, type CallsServices } from './adapter-context.ts'
import { adapterOf } from './adapters/index.ts'
import {
  type Channel,
  channelSealer,
  openChannel,
  requireChannel,
  secretsPlace,
} from './channel.ts'
import { dividedFields } from './divided-fields.ts'
import { keepPolled } from './events/keep-polled.ts'
import { configChannelId } from './from-config/id.ts'
import { settle } from './from-config/settle.ts'
import { storeToken } from './from-config/store-token.ts'
import { channelRows } from './rows.ts'
import type { CreatedChannel } from './schema.ts'
import { waitingSenders } from './senders/waiting.ts'
import { receiveUrl, viewOf } from './view.ts'

interface Change {
  agentId: string
  channelId: string
  body: Readonly<Record<string, unknown>>
}

/**
 * Changes the fields of a channel, and registers it at its service again. `rotateSecret` makes a new secret, which
 * replaces the old one at once. If the channel has the token of the agent's config, the config gets the new token too.
 * @throws PlatformError 400, 404, 409 if another change was first, 502, 503 without an encryption key
 */
export async function updateChannel(
  ctx: UserContext & CallsServices,
  { agentId, channelId, body }: Change,
): Promise<CreatedChannel> {
  const agent = await requireAgent(ctx, { agentId, owner: ctx.owner })
  const ref = { userId: ctx.owner, agentId, channelId }
  const channel = await requireChannel(ctx, ref)
  const adapter = adapterOf(channel.kind)
  const { rotateSecret, ...fields } = parseInput(adapter.change, body)
  const secret = rotateSecret === true ? adapter.makeSecret?.() : undefined
  const opened = await openChannel(ctx, channel)
  const given = dividedFields(adapter, { ...fields, ...(secret !== undefined && { secret }) })
  const next = {
    ...opened,
    settings: { ...opened.settings, ...given.settings },
    secrets: { ...opened.secrets, ...given.secrets },
  }
  const stored = await adapter.setUp(adapterContext(ctx), next, receiveUrl(ctx.webUrl, channel))
  const settings = { ...next.settings, ...stored.settings }
  const secrets = JSON.stringify({ ...next.secrets, ...stored.secrets })
  const sealed = await channelSealer(ctx).seal(secrets, secretsPlace(channelId))
  const { token } = given.secrets
  const ofConfig =
    channelId === configChannelId(agent) && token !== undefined
      ? await storeToken(ctx, agent, token)
      : undefined
  const changed: Channel = { ...channel, settings, sealed, revision: channel.revision + 1 }
  const isWritten = await tryWrite(
    ctx.table.update(channelRows.key(ref), {
      set: { settings, sealed, revision: changed.revision },
      if: '#revision = :before',
      values: { before: channel.revision },
    }),
  )
  if (!isWritten) throw new PlatformError('conflict', 'Another change of the channel was first')
  await keepPolled(ctx, changed)
  if (ofConfig !== undefined)
    await settle(ctx, ofConfig, { wanted: channelTokenOf(ofConfig), refusal: undefined })
  const [waiting = 0] = await waitingSenders(ctx.table, [changed])
  return { ...viewOf(ctx.webUrl, changed, waiting), ...(secret !== undefined && { secret }) }
}
