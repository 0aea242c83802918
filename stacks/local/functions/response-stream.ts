import { Writable } from 'node:stream'
import type { ResponseHead } from './protocol.ts'

/** Bytes that may be in flight to a slow client before the function must wait. */
const window = 64 * 1024

export interface ResponseStreamPort {
  head(head: ResponseHead, alone: boolean): void
  chunk(bytes: Uint8Array): void
}

/** The stream that a streaming handler writes its response to. */
export class ResponseStream extends Writable {
  readonly #port: ResponseStreamPort
  #head: ResponseHead | undefined
  #headSent = false
  #underWay = 0
  #resume: (() => void) | undefined

  constructor(port: ResponseStreamPort) {
    super()
    this.#port = port
  }

  /** Sets status, headers and cookies. As on Lambda, the first write sends them, and without a write they are lost. */
  setHead(head: ResponseHead): void {
    this.#head = head
  }

  /** Records that the client read `bytes`. */
  taken(bytes: number): void {
    this.#underWay -= bytes
    if (this.#underWay >= window) return
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.#headSent) this.#sendHead(chunk.length === 0)
    if (chunk.length === 0) {
      done()
      return
    }
    this.#underWay += chunk.length
    this.#port.chunk(chunk)
    if (this.#underWay < window) done()
    else this.#resume = done
  }

  override _final(done: () => void): void {
    if (!this.#headSent) this.#port.head({}, true)
    done()
  }

  #sendHead(alone: boolean): void {
    this.#headSent = true
    this.#port.head(this.#head ?? {}, alone)
  }
}
