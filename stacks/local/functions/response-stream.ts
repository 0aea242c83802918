import { Writable } from 'node:stream'
import type { ResponseHead } from './protocol.ts'

/** Bytes that may be under way to a slow client before the function has to wait. */
const window = 64 * 1024

export interface ResponseStreamPort {
  head(head: ResponseHead, alone: boolean): void
  chunk(bytes: Uint8Array): void
}

/** The stream that a streaming handler writes its answer to. */
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

  /** Status, headers and cookies. Lambda sends them with the first write; an answer that is never written loses them. */
  setHead(head: ResponseHead): void {
    this.#head = head
  }

  /** The client took some of what was sent. */
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
