import type { Context } from 'hono'
import { equalInConstantTime, hmacSha256, toBase64Url } from '../platform/crypto.ts'

/** What carriers put beside a request: an HTTP API's context, as workers do, or a REST API's. */
interface LambdaBindings {
  requestContext?: { http?: { sourceIp?: string }; identity?: { sourceIp?: string } }
}

/** Headers by which a function that calls the platform for a viewer says whose address counts. */
const viewerHeader = 'x-viewer-address'
const proofHeader = 'x-viewer-proof'

/** What proves a viewer's address: only the platform's own functions know the secret, and it proves no other address. */
async function proofOf(address: string, originSecret: string): Promise<string> {
  return toBase64Url(await hmacSha256(originSecret, `viewer ${address}`))
}

/** What a function that calls the platform for a viewer sends along. */
export async function viewerHeaders(
  address: string,
  originSecret: string | undefined,
): Promise<Record<string, string>> {
  if (originSecret === undefined) return {}
  return { [viewerHeader]: address, [proofHeader]: await proofOf(address, originSecret) }
}

/**
 * The client's address: the connection's, as API Gateway saw it. X-Forwarded-For is never read. Behind the edge the
 * connection is the edge's own; its word for the viewer counts only with the secret that the edge alone adds.
 */
export async function clientAddress(
  context: Context,
  originSecret: string | undefined,
): Promise<string> {
  const named = context.req.header(viewerHeader)
  const shown = context.req.header(proofHeader)
  if (named !== undefined && shown !== undefined && originSecret !== undefined)
    if (await equalInConstantTime(shown, await proofOf(named, originSecret))) return named
  const viewer = context.req.header('cloudfront-viewer-address')
  const proof = context.req.header('x-origin-secret')
  if (viewer !== undefined && proof !== undefined && originSecret !== undefined)
    // The viewer's port follows the last colon, also behind an IPv6 address.
    if (await equalInConstantTime(proof, originSecret)) return viewer.replace(/:\d+$/, '')
  const { requestContext } = (context.env ?? {}) as LambdaBindings
  const connection = requestContext?.http?.sourceIp ?? requestContext?.identity?.sourceIp
  return connection ?? 'unknown'
}
