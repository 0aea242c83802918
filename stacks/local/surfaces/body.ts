import type { IncomingMessage } from 'node:http'

/** The most that API Gateway takes: 10 MB. */
export const maxBodyBytes = 10 * 1024 * 1024

/**
 * The whole body of a request.
 * @returns `undefined` for a request without one, `too-large` as soon as it is known to be over `limit` bytes
 */
export async function readBody(
  request: IncomingMessage,
  limit = maxBodyBytes,
): Promise<Buffer | undefined | 'too-large'> {
  const length = request.headers['content-length']
  if (length === undefined && request.headers['transfer-encoding'] === undefined) return undefined
  if (length !== undefined && Number(length) > limit) return 'too-large'
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) return 'too-large'
    chunks.push(chunk)
  }
  if (size === 0) return undefined
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
}
