import { sendRequest } from '#shared/platform/http-client/client.ts'
import { guardedTarget, type GuardOptions } from '#shared/platform/http-client/guarded.ts'
import type { Can, Optional, Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { AdapterContext, ServiceSetting } from './adapters/adapter.ts'

/** The context of a verb that calls the services of channels. */
export type CallsServices = Pick<Context, 'log'> &
  Reads<ServiceSetting> &
  Can<'clock' | 'encryptionKey' | 'webUrl'> &
  Optional<Can<'mailer' | 'objects'>> & { guard: GuardOptions }

/** The largest response in bytes, unless the adapter gives another limit. */
const defaultMaxBytes = 1_000_000

/** Returns the context of an adapter's calls. */
export function adapterContext(ctx: CallsServices): AdapterContext {
  const { log, config, guard, webUrl, encryptionKey, mailer, objects, clock = Date.now } = ctx
  return {
    log,
    config,
    guard,
    webUrl,
    encryptionKey,
    mailer,
    objects,
    now: clock(),
    http: ({ url, totalMs = 30_000, maxBytes = defaultMaxBytes, ...request }) =>
      sendRequest({
        ...request,
        target: guardedTarget(url, guard),
        timeouts: { totalMs },
        maxBytes,
        // A request on a reused connection can be sent twice, so a message uses a connection of its own.
        pooled: request.json === undefined && request.body === undefined,
      }),
  }
}
