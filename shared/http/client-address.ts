import type { Context } from 'hono'
import { edgeAddressText, edgeHeaders } from '../manifest/surfaces.ts'
import { equalInConstantTime, hmacSha256, toBase64Url } from '../platform/crypto.ts'

/** The request's context on Lambda: of an HTTP API (workers use the same form), or of a REST API. */
interface LambdaBindings {
  requestContext?: { http?: { sourceIp?: string }; identity?: { sourceIp?: string } }
}

/** Headers of a function that calls the platform for a viewer, with the viewer's address. */
const viewerHeader = 'x-viewer-address'
const proofHeader = 'x-viewer-proof'

/**
 * Returns the proof of a viewer's address: only the platform's own functions know the secret, and the proof is valid
 * for this address only.
 */
async function proofOf(address: string, originSecret: string): Promise<string> {
  return toBase64Url(await hmacSha256(originSecret, `viewer ${address}`))
}

/**
 * Returns the proof that the edge's function sends together with the viewer's address. The proof is needed because an
 * edge location may add the origin's secret before it has that function; until then, it forwards the viewer's own
 * headers unchanged.
 */
export async function edgeAddressProof(originSecret: string): Promise<string> {
  return toBase64Url(await hmacSha256(originSecret, edgeAddressText))
}

/** Returns the headers of a function that calls the platform for a viewer. */
export async function viewerHeaders(
  address: string,
  originSecret: string | undefined,
): Promise<Record<string, string>> {
  if (originSecret === undefined) return {}
  return { [viewerHeader]: address, [proofHeader]: await proofOf(address, originSecret) }
}

/**
 * Returns the client's address: the connection's, as API Gateway saw it. X-Forwarded-For is never read. Behind the
 * edge the connection is the edge's own; the header with the viewer's address counts only with the secret that only
 * the edge adds, and with the proof that the edge's function wrote the address.
 */
export async function clientAddress(
  context: Context,
  originSecret: string | undefined,
): Promise<string> {
  const named = context.req.header(viewerHeader)
  const viewerProof = context.req.header(proofHeader)
  if (named !== undefined && viewerProof !== undefined && originSecret !== undefined)
    if (await equalInConstantTime(viewerProof, await proofOf(named, originSecret))) return named
  const viewer = context.req.header(edgeHeaders.viewerAddress)
  const written = context.req.header(edgeHeaders.viewerAddressProof)
  const proof = context.req.header(edgeHeaders.proof)
  if (viewer !== undefined && written !== undefined && proof !== undefined && originSecret)
    if (
      (await equalInConstantTime(proof, originSecret)) &&
      (await equalInConstantTime(written, await edgeAddressProof(originSecret)))
    )
      return viewer
  const { requestContext } = (context.env ?? {}) as LambdaBindings
  const connection = requestContext?.http?.sourceIp ?? requestContext?.identity?.sourceIp
  return connection ?? 'unknown'
}
