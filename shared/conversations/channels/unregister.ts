import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { adapterContext, type CallsServices } from './adapter-context.ts'
import { adapterOf } from './adapters/index.ts'
import { type Channel, openChannel } from './channel.ts'
import { storeTearDown } from './store-tear-down.ts'

/**
 * Removes a channel's registration at its service, before the channel is deleted. If the service cannot be reached, the
 * schedule of channels removes it. Errors of services are only logged, because events of a deleted channel get a 404.
 */
export async function unregister(
  ctx: Pick<Context, 'table'> & CallsServices,
  channel: Channel,
): Promise<void> {
  if (!(await tearDown(ctx, channel))) await storeTearDown(ctx.table, channel)
}

/** Removes a registration at its service. @returns false if another attempt can succeed */
export async function tearDown(ctx: CallsServices, channel: Channel): Promise<boolean> {
  try {
    await adapterOf(channel.kind).tearDown?.(adapterContext(ctx), await openChannel(ctx, channel))
    return true
  } catch (error) {
    ctx.log.warn('a channel is still registered at its service', { channelId: channel.id, error })
    // A service that no longer accepts the credentials never will.
    return !(error instanceof PlatformError && error.kind === 'bad-gateway')
  }
}
