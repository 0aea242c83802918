import { Transform, type TransformCallback } from 'node:stream'

/** A token bucket's size and rate: 512 KiB and 60 times 7 KiB are less than a million bytes in any minute. */
const mostAtOnce = 512 * 1024
const bytesASecond = 7 * 1024
/** How many of the last bytes are kept: what OpenClaw prints last says why it ended. */
const tailBytes = 4 * 1024
const lineFeed = 0x0a

/**
 * Passes on what OpenClaw prints, up to a million bytes in a minute: the operator pays for each byte of a log, and a loop
 * that prints can fill it at ten megabytes a second. Of what is left out it says how many bytes it was, and where OpenClaw
 * ends, it passes on the last of them.
 */
export class OutputCeiling extends Transform {
  readonly #now: () => number
  #room = mostAtOnce
  #refilledAt: number
  #leftOut = 0
  #tail: Buffer = Buffer.alloc(0)

  /** @param now milliseconds of a clock that only goes forward */
  constructor(now = () => performance.now()) {
    super()
    this.#now = now
    this.#refilledAt = now()
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#refill()
    done(null, this.#leftOut === 0 ? this.#pass(chunk) : this.#again(chunk))
  }

  override _flush(done: TransformCallback): void {
    if (this.#leftOut === 0) return done()
    const line = this.#tail.indexOf(lineFeed)
    const end =
      line < 0 || line === this.#tail.length - 1 ? this.#tail : this.#tail.subarray(line + 1)
    done(null, Buffer.concat([this.#note(this.#leftOut - end.length), end]))
  }

  #refill(): void {
    const now = this.#now()
    const more = ((now - this.#refilledAt) / 1000) * bytesASecond
    this.#room = Math.min(mostAtOnce, this.#room + more)
    this.#refilledAt = now
  }

  #pass(chunk: Buffer): Buffer {
    const room = Math.floor(this.#room)
    this.#room -= Math.min(room, chunk.length)
    if (chunk.length <= room) return chunk
    this.#leaveOut(chunk.subarray(room))
    return Buffer.concat([chunk.subarray(0, room), Buffer.of(lineFeed)])
  }

  /** Begins again at the start of a line, once there is room for many. */
  #again(chunk: Buffer): Buffer | undefined {
    const line = chunk.indexOf(lineFeed)
    if (this.#room < mostAtOnce / 4 || line < 0) {
      this.#leaveOut(chunk)
      return undefined
    }
    const note = this.#note(this.#leftOut + line + 1)
    this.#leftOut = 0
    this.#tail = Buffer.alloc(0)
    this.#room -= note.length
    return Buffer.concat([note, this.#pass(chunk.subarray(line + 1))])
  }

  #leaveOut(chunk: Buffer): void {
    this.#leftOut += chunk.length
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes)
  }

  #note(bytes: number): Buffer {
    return Buffer.from(
      `${bytes} bytes that OpenClaw printed are left out: a minute takes a million\n`,
    )
  }
}
