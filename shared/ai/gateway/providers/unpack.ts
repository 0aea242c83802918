import { pipeline, Readable } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import type { HttpAnswer } from '#shared/platform/http-client/client.ts'
import { UpstreamFailure } from './failure.ts'

const unpackers = {
  br: createBrotliDecompress,
  deflate: createInflate,
  gzip: createGunzip,
  'x-gzip': createGunzip,
  zstd: createZstdDecompress,
}

/**
 * Decompresses an answer. Some providers compress it although the request does not allow it.
 * @param encoding its content-encoding, in lower case
 * @param maxBytes the maximum size of the decompressed body
 * @throws UpstreamFailure for an unknown encoding
 */
export function unpack(answer: HttpAnswer, encoding: string, maxBytes: number): HttpAnswer {
  const create = Object.hasOwn(unpackers, encoding)
    ? unpackers[encoding as keyof typeof unpackers]
    : undefined
  if (create === undefined) {
    answer.close()
    throw new UpstreamFailure(`the answer has an unknown encoding: ${encoding}`)
  }
  const unpacker = create()
  async function* unpacked(): AsyncGenerator<Buffer> {
    // The loop below throws the errors of the pipeline.
    pipeline(Readable.from(answer.body), unpacker, () => {})
    let size = 0
    try {
      for await (const part of unpacker as AsyncIterable<Buffer>) {
        size += part.length
        if (size > maxBytes) throw new UpstreamFailure(`the answer has more than ${maxBytes} bytes`)
        yield part
      }
    } catch (error) {
      if (!isUnpackers(error)) throw error
      throw new UpstreamFailure('the answer cannot be unpacked', null, { cause: error })
    }
  }
  const body = unpacked()
  return {
    ...answer,
    arrived: undefined,
    body,
    async whole(onBytes) {
      const parts: Buffer[] = []
      for await (const part of body) {
        parts.push(part)
        onBytes?.()
      }
      return Buffer.concat(parts)
    },
  }
}

/** The codes of Node's zlib errors: https://nodejs.org/api/zlib.html#error-codes-and-errno-values */
function isUnpackers(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  return typeof code === 'string' && /^(Z_|ERR_|ZSTD_)/.test(code)
}
