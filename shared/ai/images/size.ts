import { disableTypes, imageSize, types } from 'image-size'
import { jpegSize } from './jpeg.ts'
import type { Size } from './pixels.ts'

// Of the kinds that models look at, those whose header says the size that decoders obey. The library finds a JPEG's in
// bytes that no decoder reads, and a GIF's first frame may be larger than what its header says.
const read: ReadonlySet<string> = new Set(['png', 'webp'])
disableTypes(types.filter((type) => !read.has(type)))

const dataUrl = /^data:[^,]*;base64,/

/** Decoders differ in what they make of any other character. */
const base64 = /^[A-Za-z\d+/]+={0,2}$/

/** More than what stands before the size in any image; base64 has four characters for three bytes. */
const mostCharacters = 1_048_576

/** How large an image is that a request brings along; undefined for one that is elsewhere or cannot be read. */
export function sizeOf(url: string): Size | undefined {
  const [head] = dataUrl.exec(url.slice(0, 200)) ?? []
  if (head === undefined) return undefined
  const text = url.slice(head.length, head.length + mostCharacters)
  const size = base64.test(text) ? sizeIn(Buffer.from(text, 'base64')) : undefined
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

function sizeIn(bytes: Buffer): Size | undefined {
  if (bytes.length > 2 && bytes.readUInt16BE(0) === 0xffd8) return jpegSize(bytes)
  // Another chunk than the header at the beginning of a PNG may pretend to be it.
  if (bytes[0] === 0x89 && bytes.toString('latin1', 8, 16) !== '\0\0\0\rIHDR') return undefined
  try {
    return imageSize(bytes)
  } catch {
    // Its provider may know more kinds of image, or refuse it: the most that an image may count is held.
    return undefined
  }
}
