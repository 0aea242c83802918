import { standInFor } from './stand-in.ts'

/**
 * A carrier's request as a web Request. Method, address, headers, signal and text are its own: a Request that Node
 * makes copies the body into a stream and follows the signal by another, which costs the AI gateway a seventh of its
 * requests a second. It is only made when a handler asks for anything else.
 */
export abstract class LightRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly signal: AbortSignal
  #made: Request | undefined
  #read = false

  constructor(method: string, url: string, headers: Headers, signal: AbortSignal) {
    this.method = method
    this.url = url
    this.headers = headers
    this.signal = signal
  }

  /** The body, which is asked for once; without the mark that a text may begin with, as Request.text() has it. */
  protected abstract takeText(): string | Promise<string>
  /** The body, which is asked for once, and not where its text was. */
  protected abstract takeBody(): RequestInit['body']

  get bodyUsed(): boolean {
    return this.#read || this.#made?.bodyUsed === true
  }

  async text(): Promise<string> {
    if (this.#read || this.#made !== undefined) return this.whole().text()
    this.#read = true
    return this.takeText()
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  /** The Request with everything that a Request has. @throws TypeError where the text was read before */
  whole(): Request {
    if (this.#read) throw new TypeError('Body is unusable: Body has already been read')
    return (this.#made ??= new Request(this.url, {
      method: this.method,
      headers: this.headers,
      body: this.takeBody() ?? null,
      duplex: 'half',
    } as RequestInit))
  }
}

/** The request, as everything that knows web Requests takes it. */
export const asRequest: (request: LightRequest) => Request = standInFor(LightRequest, () => Request)

/** A header's text as Headers takes it: characters beyond a byte are no fault of ours to fail by. */
export function asBytes(value: string): string {
  return /^[\0-\xff]*$/.test(value) ? value : encodeURI(value.toWellFormed())
}

/** As Request.text() has it: without the mark that a text may begin with. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
