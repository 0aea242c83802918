import type * as z from 'zod'
import { notConfigured, notFound } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import { type Sealer, sealer } from '#shared/platform/seal.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { OpenChannel } from './adapters/adapter.ts'
import { channelRows } from './rows.ts'

export type Channel = z.output<ReturnType<typeof channelRows.declared.schema>>

export interface ChannelRef {
  userId: string
  agentId: string
  channelId: string
}

/** @throws PlatformError 503 without a key */
export function channelSealer({ encryptionKey }: Can<'encryptionKey'>): Sealer {
  if (encryptionKey === undefined) throw notConfigured('Channels', ['WALLET_ENCRYPTION_KEY'])
  return sealer(encryptionKey)
}

/** Returns the context that a channel's secrets are sealed with. */
export function secretsPlace(channelId: string): string {
  return `channel#${channelId}#secrets`
}

/** Returns whether an id is the id of a channel, not the name of a bot in the agent's container. */
export function isOfPlatform(channelId: string): boolean {
  return channelId.startsWith(`${channelRows.id}_`)
}

/** @throws PlatformError 404 */
export async function requireChannel(
  { table }: { table: Table },
  ref: ChannelRef,
): Promise<Channel> {
  const channel = await channelRows.find(table, ref)
  if (channel === undefined) throw notFound('Channel')
  return channel
}

/** Returns a channel with its decrypted secrets. @throws PlatformError 503 without a key */
export async function openChannel(
  ctx: Can<'encryptionKey'>,
  { id, agentId, kind, settings, sealed }: Channel,
): Promise<OpenChannel> {
  const text = await channelSealer(ctx).open(sealed, secretsPlace(id))
  if (text === undefined)
    throw new Error('the secrets of a channel were not sealed by the key of this platform')
  return { id, agentId, kind, settings, secrets: JSON.parse(text) as Record<string, string> }
}
