import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { callUpstream, type HasX402Gateway, requireGateway } from './call.ts'

/** spec.md, Limits: x402 timeouts. */
const timeoutMs = 10_000

/**
 * Returns the gateway's health report and address.
 * @throws PlatformError 503 `{gateway, status: 'unreachable'}` if it does not respond; also with `missing` if it is
 * not configured
 */
export async function readHealth(ctx: HasX402Gateway) {
  if (ctx.gatewayUrl === undefined) {
    const { message, details } = notConfigured('The x402 gateway', ['X402_GATEWAY_URL'])
    throw unreachable(null, message, details)
  }
  const gateway = shown(requireGateway(ctx))
  const reply = await callUpstream(ctx, { path: '/health', timeoutMs }).catch((cause: unknown) => {
    throw unreachable(gateway, 'The x402 gateway cannot be reached', {}, cause)
  })
  if (!isSuccess(reply.status))
    throw unreachable(gateway, `The x402 gateway responded with status ${reply.status}`)
  return { ...reply.body, gateway }
}

function unreachable(gateway: string | null, message: string, more: object = {}, cause?: unknown) {
  const details = { gateway, status: 'unreachable', ...more }
  return new PlatformError('unavailable', message, { details, cause })
}

/** Returns the URL without credentials. */
function shown(url: string): string {
  const address = new URL(url)
  address.username = ''
  address.password = ''
  return address.href.replace(/\/+$/, '')
}

/** Returns whether the gateway is configured and responds. */
export async function readGateway(
  ctx: Pick<Context, 'log'> & HasX402Gateway,
): Promise<'reachable' | 'unreachable' | 'not configured'> {
  if (ctx.gatewayUrl === undefined) return 'not configured'
  try {
    await readHealth(ctx)
    return 'reachable'
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    ctx.log.warn('the x402 gateway was not reached', { error })
    return 'unreachable'
  }
}
