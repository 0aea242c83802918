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
  // By events: an iterator over the chunks costs more than all else here. They go on after too many, to be dropped.
  const outcome = await new Promise<'whole' | 'too-large'>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) resolve('too-large')
      else chunks.push(chunk)
    })
    request.once('end', () => resolve('whole')).once('error', reject)
  })
  if (outcome === 'too-large') return outcome
  if (size === 0) return undefined
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
}
