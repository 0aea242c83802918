import type { IncomingMessage } from 'node:http'
import type { UploadSource } from '../functions/instance.ts'

/** The payload limit of API Gateway: 10 MB. */
const maxBodyBytes = 10 * 1024 * 1024

/**
 * Reads the whole body of a request.
 * @returns `undefined` for a request without a body, `too-large` as soon as it exceeds `limit` bytes
 */
export async function readBody(
  request: IncomingMessage,
  limit = maxBodyBytes,
): Promise<Buffer | undefined | 'too-large'> {
  if (!hasBody(request)) return undefined
  const length = request.headers['content-length']
  if (length !== undefined && Number(length) > limit) return 'too-large'
  const chunks: Buffer[] = []
  let size = 0
  // Events, because an async iterator costs more than everything else here. After the limit, chunks are read and dropped.
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

/** Returns a request whose body is read on demand. The rest is read and dropped, so that the client can read the response. */
export function uploadOf(request: IncomingMessage): UploadSource {
  const target = request.url ?? '/'
  if (!hasBody(request)) return { target, body: undefined }
  const parts = request.iterator({ destroyOnReturn: false })
  return {
    target,
    body: {
      next: () => parts.next() as Promise<IteratorResult<Buffer>>,
      async return() {
        await parts.return?.()
        request.resume()
        return { done: true, value: undefined }
      },
    },
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
