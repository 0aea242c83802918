import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a zip, with false values for its headers. */
export interface ZipEntry {
  name: string | Buffer
  content?: string | Uint8Array
  /** 0 for stored, 8 for deflated. */
  method?: number
  flags?: number
  crc?: number
  /** The unpacked size in its headers. */
  size?: number
  /** The mode of the file on Unix. */
  mode?: number
  /** Sets DOS or Windows as the system that made the entry. */
  dos?: true
  /** Uses the content of the previous entry. */
  shared?: true
  /** Writes the sizes and the checksum after the content. */
  descriptor?: true
  /** Writes its sizes as zip64 fields. */
  zip64?: true
}

/** The value of a 32-bit size field whose value is in a zip64 field. */
const beyond = 0xffffffff

const textOf = (given: string | Uint8Array) =>
  typeof given === 'string' ? Buffer.from(given) : Buffer.from(given)

/** Builds a zip byte by byte, so that its headers may be false. */
export function zipOf(
  entries: readonly ZipEntry[],
  { count = entries.length }: { count?: number } = {},
): Buffer<ArrayBuffer> {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  let start = 0
  for (const entry of entries) {
    const content = textOf(entry.content ?? '')
    const method = entry.method ?? 8
    const packed = method === 8 ? deflateRawSync(content) : content
    const name = textOf(entry.name)
    const flags = (entry.flags ?? 0x0800) | (entry.descriptor ? 8 : 0)
    const crc = entry.crc ?? crc32(content)
    const size = entry.size ?? content.length
    if (entry.shared === undefined) {
      start = offset
      const local = Buffer.alloc(30)
      local.writeUInt32LE(0x04034b50, 0)
      local.writeUInt16LE(20, 4)
      local.writeUInt16LE(flags, 6)
      local.writeUInt16LE(method, 8)
      if (entry.descriptor === undefined) {
        local.writeUInt32LE(crc, 14)
        local.writeUInt32LE(entry.zip64 ? beyond : packed.length, 18)
        local.writeUInt32LE(entry.zip64 ? beyond : size, 22)
      }
      local.writeUInt16LE(name.length, 26)
      const after = Buffer.alloc(entry.descriptor ? 16 : 0)
      if (entry.descriptor) {
        after.writeUInt32LE(0x08074b50, 0)
        after.writeUInt32LE(crc, 4)
        after.writeUInt32LE(packed.length, 8)
        after.writeUInt32LE(size, 12)
      }
      locals.push(local, name, packed, after)
      offset += 30 + name.length + packed.length + after.length
    }
    const extra = Buffer.alloc(entry.zip64 ? 20 : 0)
    if (entry.zip64) {
      extra.writeUInt16LE(1, 0)
      extra.writeUInt16LE(16, 2)
      extra.writeBigUInt64LE(BigInt(size), 4)
      extra.writeBigUInt64LE(BigInt(packed.length), 12)
    }
    const head = Buffer.alloc(46)
    head.writeUInt32LE(0x02014b50, 0)
    head.writeUInt16LE(entry.dos ? 20 : (3 << 8) | 20, 4)
    head.writeUInt16LE(20, 6)
    head.writeUInt16LE(flags, 8)
    head.writeUInt16LE(method, 10)
    head.writeUInt32LE(crc, 16)
    head.writeUInt32LE(entry.zip64 ? beyond : packed.length, 20)
    head.writeUInt32LE(entry.zip64 ? beyond : size, 24)
    head.writeUInt16LE(name.length, 28)
    head.writeUInt16LE(extra.length, 30)
    head.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38)
    head.writeUInt32LE(start, 42)
    central.push(head, name, extra)
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}
