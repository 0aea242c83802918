import { standInFor } from './stand-in.ts'

/**
 * A carrier's request as a web Request. It implements method, address, headers, signal and text itself: Node's Request
 * copies the body into a stream and creates a second signal, which would reduce the throughput of the AI gateway by a
 * seventh. A Request is created only when a handler uses another member.
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

  /** Returns the body as text without a leading byte order mark, as Request.text() does. Called at most once. */
  protected abstract takeText(): string | Promise<string>
  /** Returns the body. Called at most once, and not after its text. */
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

  /** Returns a full Request. @throws TypeError if the text was read before */
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

/** The request in the type that all users of web Requests accept. */
export const asRequest: (request: LightRequest) => Request = standInFor(LightRequest, () => Request)

/**
 * Returns a header's value in a form that Headers accepts: characters above one byte must not make the request fail.
 */
export function asBytes(value: string): string {
  return /^[\0-\xff]*$/.test(value) ? value : encodeURI(value.toWellFormed())
}

/** Removes a leading byte order mark, as Request.text() does. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
