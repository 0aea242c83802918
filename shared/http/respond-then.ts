import { takesLightAnswers } from '#carrier'
import { standInFor } from './stand-in.ts'

const encoder = new TextEncoder()

interface More {
  headers?: Record<string, string>
  /** Runs instead of `then` if the reader disconnects before the last byte; never throws. */
  left?: () => Promise<void>
}

/**
 * A response with a known text, for carriers that send it without a stream and then call one of the functions, once.
 */
export interface Followed {
  text: string
  /** Runs after the text was sent. */
  sent(): Promise<void>
  /** Runs if the caller disconnected before the text was sent. */
  left(): Promise<void>
}

const followed = Symbol('followed')

/**
 * Returns the text and follow-up of a response made by `respondThen`, for carriers that can write text; undefined for
 * every other response.
 */
export function followedOf(answer: Response): Followed | undefined {
  return (answer as { [followed]?: Followed })[followed]
}

/** A Response that creates its full form, with a body stream, only if its carrier needs that. */
class LightResponse {
  readonly status = 200
  readonly headers: Headers
  readonly [followed]: Followed
  #made: Response | undefined

  constructor(headers: Headers, promise: Followed) {
    this.headers = headers
    this[followed] = promise
  }

  whole(): Response {
    return (this.#made ??= new Response(streamOf(this[followed]), { headers: this.headers }))
  }
}

const asResponse = standInFor(LightResponse, () => Response)

/**
 * A JSON response that ends only after its follow-up: the follow-up starts after the last byte, and a function
 * whose response has ended may be frozen at any moment. A reader that disconnects early does not change the
 * follow-up.
 * @param then never throws
 */
export function respondThen(value: unknown, then: () => Promise<void>, more?: More): Response {
  return respondTextThen(JSON.stringify(value), then, more)
}

/**
 * `respondThen` with a text that is sent unchanged. Its content type is JSON unless the headers have another.
 * @param then never throws
 */
export function respondTextThen(
  text: string,
  then: () => Promise<void>,
  { headers = {}, left = then }: More = {},
): Response {
  let following: Promise<void> | undefined
  const all = new Headers({
    'content-type': 'application/json',
    ...headers,
    'content-length': String(Buffer.byteLength(text)),
  })
  const light = new LightResponse(all, {
    text,
    sent: () => (following ??= then()),
    left: () => (following ??= left()),
  })
  return takesLightAnswers ? asResponse(light) : light.whole()
}

function streamOf({ text, sent, left }: Followed): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(text))
      },
      async pull(controller) {
        await sent()
        controller.close()
      },
      cancel: left,
    },
    // The follow-up starts when the reader has received all bytes and requests more.
    { highWaterMark: 0 },
  )
}
