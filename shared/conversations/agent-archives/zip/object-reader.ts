import { Readable } from 'node:stream'
import { RandomAccessReader } from 'yauzl'
import type { PartialObjects } from '#shared/platform/objects/port.ts'
import { ArchiveUnreadable } from './unpack.ts'

/** The bytes that are read at once. The library reads an archive mostly from its beginning to its end. */
const windowBytes = 4 * 1024 * 1024

/** Reads an object for the library of archives. One window is in memory. */
export class ObjectReader extends RandomAccessReader {
  readonly #objects: PartialObjects
  readonly #key: string
  #window: { from: number; bytes: Uint8Array } = { from: 0, bytes: new Uint8Array() }

  constructor(objects: PartialObjects, key: string) {
    super()
    this.#objects = objects
    this.#key = key
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#range(start, end), { objectMode: false })
  }

  async *#range(start: number, end: number): AsyncGenerator<Buffer> {
    let at = start
    while (at < end) {
      const { from, bytes } = await this.#windowAt(at)
      const piece = bytes.subarray(at - from, Math.min(end - from, bytes.length))
      if (piece.length === 0) throw new ArchiveUnreadable(`${this.#key} is incomplete`)
      yield Buffer.from(piece)
      at += piece.length
    }
  }

  async #windowAt(offset: number): Promise<{ from: number; bytes: Uint8Array }> {
    const { from, bytes: has } = this.#window
    if (offset >= from && offset < from + has.length) return this.#window
    const part = { key: this.#key, offset, length: windowBytes }
    const bytes = await this.#objects.getPart(part).catch((cause: unknown) => {
      throw new ArchiveUnreadable(`${this.#key} cannot be read`, { cause })
    })
    if (bytes === undefined) throw new ArchiveUnreadable(`${this.#key} does not exist`)
    this.#window = { from: offset, bytes }
    return this.#window
  }
}
