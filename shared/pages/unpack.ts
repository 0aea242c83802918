import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/**
 * A body without its content encoding, as it arrives; how much of it is read, the reader decides.
 * @throws Error where it is packed otherwise, or broken
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
  // Where the reader stops, the pipeline ends the body with it.
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
      // By the standard it is zlib's form (RFC 1950), whose first byte names the method; some servers send it bare.
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
