/** Reads the duration of one container of audio. Undefined if the bytes are not such a container. */
type Reader = (bytes: Buffer) => number | undefined

const readers: readonly Reader[] = [wave, flac, ogg, mpeg4, mp3]

/**
 * Returns the duration that an audio file states, in seconds. It prices a transcription whose provider counts nothing.
 * @returns undefined for a form that is not known
 */
export function secondsOf(bytes: Buffer): number | undefined {
  for (const read of readers) {
    const seconds = read(bytes)
    if (seconds !== undefined && Number.isFinite(seconds) && seconds > 0) return seconds
  }
  return undefined
}

/** The data chunk of a stream has no length, so the rest of the file counts. */
function wave(bytes: Buffer): number | undefined {
  if (!hasText(bytes, 0, 'RIFF') || !hasText(bytes, 8, 'WAVE') || bytes.length < 44)
    return undefined
  const data = bytes.indexOf('data', 12)
  const bytesPerSecond = bytes.readUInt32LE(28)
  return data < 0 ? undefined : (bytes.length - data - 8) / bytesPerSecond
}

/** RFC 9639, 8.2: 20 bits of sample rate, and 36 bits of samples. */
function flac(bytes: Buffer): number | undefined {
  if (!hasText(bytes, 0, 'fLaC') || bytes.length < 42) return undefined
  const rate = bytes.readUIntBE(18, 3) >> 4
  const samples = (bytes.readUInt8(21) & 15) * 2 ** 32 + bytes.readUInt32BE(22)
  return samples / rate
}

/** RFC 3533 and RFC 7845: the last page has the position of its end, for Opus in samples of 48 kHz. */
function ogg(bytes: Buffer): number | undefined {
  const last = bytes.lastIndexOf('OggS')
  if (!hasText(bytes, 0, 'OggS') || last + 14 > bytes.length) return undefined
  const vorbis = bytes.indexOf('\u0001vorbis', 0, 'latin1')
  const isVorbis = vorbis >= 0 && vorbis < 100 && vorbis + 16 <= bytes.length
  const rate = isVorbis ? bytes.readUInt32LE(vorbis + 12) : 48_000
  return Number(bytes.readBigUInt64LE(last + 6)) / rate
}

/** ISO 14496-12, 8.2.2: the movie header has the time scale and the duration. */
function mpeg4(bytes: Buffer): number | undefined {
  const header = hasText(bytes, 4, 'ftyp') ? bytes.indexOf('mvhd') : -1
  if (header < 0 || header + 36 > bytes.length) return undefined
  return bytes.readUInt8(header + 4) === 1
    ? Number(bytes.readBigUInt64BE(header + 28)) / bytes.readUInt32BE(header + 24)
    : bytes.readUInt32BE(header + 20) / bytes.readUInt32BE(header + 16)
}

/** ISO 11172-3, 2.4.2.3: kbit/s of layer III by the index of the frame header, for version 1 and for 2 and 2.5. */
const rates = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
]

/** The bit rate of the first frame counts for the whole file, because files of speech rarely change it. */
function mp3(bytes: Buffer): number | undefined {
  let at = 0
  // A tag has its length in four groups of seven bits: https://id3.org/id3v2.4.0-structure
  if (hasText(bytes, 0, 'ID3') && bytes.length > 10)
    at = 10 + [6, 7, 8, 9].reduce((size, i) => size * 128 + bytes.readUInt8(i), 0)
  if (at + 4 > bytes.length || (bytes.readUInt16BE(at) & 0xff_e6) !== 0xff_e2) return undefined
  const isFirst = (bytes.readUInt8(at + 1) & 0x18) === 0x18
  const rate = rates[isFirst ? 0 : 1]?.[(bytes.readUInt8(at + 2) >> 4) - 1]
  return rate === undefined ? undefined : ((bytes.length - at) * 8) / (rate * 1000)
}

function hasText(bytes: Buffer, at: number, text: string): boolean {
  return bytes.toString('latin1', at, at + text.length) === text
}
