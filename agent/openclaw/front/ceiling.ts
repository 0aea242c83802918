import { Transform, type TransformCallback } from 'node:stream'

/** The size and rate of a token bucket: 512 KiB plus 60 times 7 KiB is less than a million bytes in any minute. */
const mostAtOnce = 512 * 1024
const bytesASecond = 7 * 1024
/** This many of the last bytes are kept, because OpenClaw's last output says why it ended. */
const tailBytes = 4 * 1024
const lineFeed = 0x0a

/**
 * Forwards OpenClaw's output, up to a million bytes per minute. The operator pays for each byte of a log, and a loop can
 * print ten megabytes per second. It reports the number of bytes that are left out, and forwards the last of them when
 * OpenClaw ends.
 */
export class OutputCeiling extends Transform {
  readonly #now: () => number
  #room = mostAtOnce
  #refilledAt: number
  #leftOut = 0
  #tail: Buffer = Buffer.alloc(0)

  /** @param now returns milliseconds of a monotonic clock */
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

  /** Continues at the start of a line, when there is room for many lines. */
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
