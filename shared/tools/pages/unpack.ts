import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/**
 * Decompresses a body as it arrives. The reader limits how much is read.
 * @throws Error for another encoding or a corrupt body
 */
export async function* unpacked(
  body: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): AsyncGenerator<Uint8Array> {
  const name = (encoding ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity') return yield* body
  const chunks = body[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done === true) return
  const unpack = decoderOf(name, first.value)
  // If the reader stops, the pipeline ends the body.
  yield* pipeline(Readable.from(restored(first.value, chunks)), unpack, () => {})
}

function decoderOf(name: string, [first = 0]: Uint8Array): Transform {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    case 'deflate':
      // The standard requires the zlib format (RFC 1950), whose first byte identifies the method; some servers send raw
      // deflate data.
      return (first & 0x0f) === 8 ? createInflate() : createInflateRaw()
    default:
      throw new Error(`its encoding ${name.slice(0, 40)} is not one of gzip, deflate and br`)
  }
}

async function* restored(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield first
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield next.value
  } finally {
    await rest.return?.()
  }
}
