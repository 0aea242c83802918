import { once } from '../platform/once.ts'
import { delegate } from './delegate.ts'

/** Node loads much behind its Response once somebody names it, which a cold start should not wait for. */
const answerClass = once(() => {
  class AnswerThen extends Response {
    /** The body's bytes. */
    readonly whole: Uint8Array
    readonly #then: () => Promise<void>
    #followed: Promise<void> | undefined
    #streamed: Response | undefined

    constructor(value: unknown, then: () => Promise<void>) {
      const whole = new TextEncoder().encode(JSON.stringify(value))
      const length = String(whole.length)
      super(null, { headers: { 'content-type': 'application/json', 'content-length': length } })
      this.whole = whole
      this.#then = then
    }

    /** Does what follows, once, however often it is called. */
    follow(): Promise<void> {
      return (this.#followed ??= this.#then())
    }

    streamed(): Response {
      const { status, headers } = this
      return (this.#streamed ??= new Response(this.#chunks(), { status, headers }))
    }

    #chunks(): ReadableStream<Uint8Array> {
      let cancelled = false
      return new ReadableStream({
        start: async (controller) => {
          controller.enqueue(this.whole)
          await this.follow()
          if (!cancelled) controller.close()
        },
        // A client that leaves before the end changes nothing about what is to be done.
        cancel: () => {
          cancelled = true
          return this.follow()
        },
      })
    }
  }
  delegate(
    AnswerThen.prototype,
    ['arrayBuffer', 'blob', 'body', 'bodyUsed', 'bytes', 'clone', 'formData', 'json', 'text'],
    (answer) => answer.streamed(),
  )
  return AnswerThen
})

export type AnswerThen = InstanceType<ReturnType<typeof answerClass>>

/**
 * A JSON answer whose last byte is out before what follows from it is done, and which ends only after that: a function
 * that has ended its answer may be frozen at any moment. Lambda's adapter takes the bytes as they are; for everybody
 * else the answer has a body like any other's, which is only made then.
 * @param then never throws
 */
export function answerThen(value: unknown, then: () => Promise<void>): AnswerThen {
  return new (answerClass())(value, then)
}
