import { takesLightAnswers } from '#carrier'
import { standInFor } from './stand-in.ts'

const encoder = new TextEncoder()

interface More {
  headers?: Record<string, string>
  /** What follows where the reader leaves before the last byte, in place of `then`; never throws. */
  left?: () => Promise<void>
}

/** An answer whose text is known, for a carrier that sends it without a stream and then calls one of the functions, once. */
export interface Followed {
  text: string
  /** After the text was handed over. */
  sent(): Promise<void>
  /** Where the caller was gone before that. */
  left(): Promise<void>
}

const followed = Symbol('followed')

/** What a carrier that can write text needs of an answer made by `respondThen`; nothing for every other answer. */
export function followedOf(answer: Response): Followed | undefined {
  return (answer as { [followed]?: Followed })[followed]
}

/** A Response that is made whole, with a stream for its body, only where its carrier takes nothing else. */
class LightResponse {
  readonly status = 200
  readonly headers: Headers
  readonly [followed]: Followed
  #made: Response | undefined

  constructor(headers: Headers, told: Followed) {
    this.headers = headers
    this[followed] = told
  }

  whole(): Response {
    return (this.#made ??= new Response(streamOf(this[followed]), { headers: this.headers }))
  }
}

const asResponse = standInFor(LightResponse, () => Response)

/**
 * A JSON answer whose last byte is taken before what follows from it begins, and which ends only after that: a function
 * that has ended its answer may be frozen at any moment. A reader that leaves early changes nothing about what follows.
 * @param then never throws
 */
export function respondThen(
  value: unknown,
  then: () => Promise<void>,
  { headers = {}, left = then }: More = {},
): Response {
  const text = JSON.stringify(value)
  let following: Promise<void> | undefined
  const all = new Headers({
    ...headers,
    'content-type': 'application/json',
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
    // What follows begins when the reader asks for more than the bytes.
    { highWaterMark: 0 },
  )
}
