import type { Size } from './pixels.ts'

const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Segments with a length, such as tables and comments. Scans and fill bytes have none. */
const isSegment = (marker: number) =>
  marker >= 0xc0 && marker !== 0xff && (marker < 0xd0 || marker > 0xda)

/**
 * Returns the size in a JPEG's first frame header, which decoders use; they ignore data after the scan. ITU-T T.81,
 * annex B.
 * @returns undefined if other data than whole segments comes before that header
 */
export function jpegSize(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0
    if (isFrame(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    if (!isSegment(marker)) return undefined
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
