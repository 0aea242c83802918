import { adapterOf } from './adapters/index.ts'
import type { Channel } from './channel.ts'
import type { ChannelView } from './schema.ts'

/** Returns the address where the service of a channel delivers its events. */
export function inboundUrl(webUrl: string, { kind, id }: Pick<Channel, 'kind' | 'id'>): string {
  return `${webUrl.replace(/\/$/, '')}/in/${kind}/${id}`
}

/** Returns that address if the service can reach it. */
export function receiveUrl(
  webUrl: string,
  channel: Pick<Channel, 'kind' | 'id'>,
): string | undefined {
  const isPublic = webUrl.startsWith('https:')
  return isPublic ? inboundUrl(webUrl, channel) : undefined
}

/** Returns a channel without its secrets. */
export function viewOf(webUrl: string, channel: Channel): ChannelView {
  const { id, kind, settings, createdAt } = channel
  const { address } = settings
  const isPolled = receiveUrl(webUrl, channel) === undefined && adapterOf(kind).poll !== undefined
  return {
    id,
    kind,
    settings,
    ...(address !== undefined && { address }),
    receiveUrl: isPolled || address !== undefined ? null : inboundUrl(webUrl, channel),
    createdAt,
  }
}
