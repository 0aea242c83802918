import { traitsOf } from './adapters/traits.ts'
import type { Channel } from './channel.ts'
import type { ChannelView } from './schema.ts'

/** Returns the address where the service of a channel delivers its events. */
export function inboundUrl(webUrl: string, { kind, id }: Pick<Channel, 'kind' | 'id'>): string {
  return `${webUrl.replace(/\/$/, '')}/in/${kind}/${id}`
}

/** Returns the address where the service of a channel delivers its events; undefined if the service cannot reach it. */
export function receiveUrl(
  webUrl: string,
  channel: Pick<Channel, 'kind' | 'id'>,
): string | undefined {
  const isPublic = webUrl.startsWith('https:')
  return isPublic ? inboundUrl(webUrl, channel) : undefined
}

/** Returns whether a channel's service is polled for messages, because it cannot reach the platform. */
export function isPolled(webUrl: string, channel: Pick<Channel, 'kind' | 'id'>): boolean {
  return receiveUrl(webUrl, channel) === undefined && traitsOf(channel.kind).isPolled === true
}

/**
 * Returns a channel without its secrets.
 * @param waiting the number of senders who wait for a decision
 */
export function viewOf(webUrl: string, channel: Channel, waiting: number): ChannelView {
  const { id, kind, settings, createdAt } = channel
  const { address } = settings
  return {
    id,
    kind,
    settings,
    ...(address !== undefined && { address }),
    receiveUrl:
      isPolled(webUrl, channel) || address !== undefined ? null : inboundUrl(webUrl, channel),
    waiting,
    createdAt,
  }
}
