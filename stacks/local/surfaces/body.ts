import type { IncomingMessage } from 'node:http'
import type { UploadSource } from '../functions/instance.ts'

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
  if (!hasBody(request)) return undefined
  const length = request.headers['content-length']
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

/** A request whose body is read as it is taken. What nobody takes is dropped, so that its sender gets to see the answer. */
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
