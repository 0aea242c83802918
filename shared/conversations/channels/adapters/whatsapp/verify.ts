import { createHmac } from 'node:crypto'
import { equalInConstantTime } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Adapter, Inbound, OpenChannel } from '../adapter.ts'

/**
 * Checks the verify token of the request that sets the callback URL, and the signature of every other request by the
 * app's secret. The signature contains no time, so a request can be replayed: its messages then have known ids.
 */
export const verify: Adapter['verify'] = async (_, channel, inbound) => {
  const genuine =
    inbound.method === 'GET' ? await hasToken(channel, inbound) : await isSigned(channel, inbound)
  if (!genuine) throw new PlatformError('unauthorized', 'The signature is not valid')
}

async function hasToken({ secrets }: OpenChannel, { query }: Inbound): Promise<boolean> {
  const { verifyToken } = secrets
  return (
    verifyToken !== undefined &&
    (await equalInConstantTime(query.get('hub.verify_token') ?? '', verifyToken)) &&
    query.get('hub.mode') === 'subscribe'
  )
}

async function isSigned({ secrets }: OpenChannel, { headers, body }: Inbound): Promise<boolean> {
  const { appSecret } = secrets
  if (appSecret === undefined) return false
  const digest = createHmac('sha256', appSecret).update(body).digest('hex')
  return equalInConstantTime(headers.get('x-hub-signature-256') ?? '', `sha256=${digest}`)
}

/** Answers the request that sets the callback URL, after its token was checked. */
export const challenge: NonNullable<Adapter['challenge']> = (_, { method, query }) => {
  if (method !== 'GET') return undefined
  const headers = { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' }
  return new Response((query.get('hub.challenge') ?? '').slice(0, 200), { headers })
}
