import { PNG } from 'image-size/types/png'
import { WEBP } from 'image-size/types/webp'
import type { Size } from './pixels.ts'

/**
 * The types of images with the decoded size in their header. The library also finds sizes in invalid JPEGs, and a GIF's
 * first frame can be larger than its header says.
 */
const types = [PNG, WEBP]

const dataUrl = /^data:[^,]*;base64,/

/** Other characters are excluded, because decoders treat them differently. */
const base64 = /^[A-Za-z\d+/]+={0,2}$/

/**
 * The maximum number of characters that are decoded, which include the size in every image. Base64 has four characters
 * for three bytes.
 */
const maxCharacters = 1_048_576

/** Returns the size of an image within a request. Undefined for a remote or unreadable image. */
export function sizeOf(url: string): Size | undefined {
  const [head] = dataUrl.exec(url.slice(0, 200)) ?? []
  if (head === undefined) return undefined
  const text = url.slice(head.length, head.length + maxCharacters)
  const size = base64.test(text) ? sizeIn(Buffer.from(text, 'base64')) : undefined
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

function sizeIn(bytes: Buffer): Size | undefined {
  if (bytes.length > 2 && bytes.readUInt16BE(0) === 0xffd8) return jpegSize(bytes)
  // A PNG's first chunk must be its header; another one could imitate it.
  if (bytes[0] === 0x89 && bytes.toString('latin1', 8, 16) !== '\0\0\0\rIHDR') return undefined
  try {
    return types.find((type) => type.validate(bytes))?.calculate(bytes)
  } catch {
    // The size is unknown, so the highest possible count is reserved: the provider may support more image types, or
    // reject the image.
    return undefined
  }
}

const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Segments with a length, such as tables and comments. Scans and fill bytes have none. */
const isSegment = (marker: number) =>
  marker >= 0xc0 && marker !== 0xff && (marker < 0xd0 || marker > 0xda)

/**
 * Returns the size in a JPEG's first frame header, which decoders use; they ignore data after the scan. ITU-T T.81,
 * annex B.
 * @returns undefined if that header does not directly follow whole segments
 */
function jpegSize(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0
    if (isFrame(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    if (!isSegment(marker)) return undefined
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
