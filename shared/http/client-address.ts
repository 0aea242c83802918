import type { Context } from 'hono'
import { equalInConstantTime } from '../platform/crypto.ts'

/** What carriers put beside a request: an HTTP API's context, as workers do, or a REST API's. */
interface LambdaBindings {
  requestContext?: { http?: { sourceIp?: string }; identity?: { sourceIp?: string } }
}

/**
 * The client's address: the connection's, as API Gateway saw it. X-Forwarded-For is never read. Behind the edge the
 * connection is the edge's own; its word for the viewer counts only with the secret that the edge alone adds.
 */
export async function clientAddress(
  context: Context,
  originSecret: string | undefined,
): Promise<string> {
  const viewer = context.req.header('cloudfront-viewer-address')
  const proof = context.req.header('x-origin-secret')
  if (viewer !== undefined && proof !== undefined && originSecret !== undefined)
    // The viewer's port follows the last colon, also behind an IPv6 address.
    if (await equalInConstantTime(proof, originSecret)) return viewer.replace(/:\d+$/, '')
  const { requestContext } = (context.env ?? {}) as LambdaBindings
  const connection = requestContext?.http?.sourceIp ?? requestContext?.identity?.sourceIp
  return connection ?? 'unknown'
}
