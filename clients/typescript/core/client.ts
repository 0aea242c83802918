import { type Answer, answerOf, type WithResponse } from './answer.ts'
import { ConnectionError, errorOf, PlatformError, TimeoutError } from './errors.ts'
import { EventStream, readEvents, type ServerSentEvent } from './event-stream.ts'
import type { FieldOf, IdempotentOperation, InputOf, Opened, Operation } from './operation.ts'
import type { PlatformOptions, RequestOptions } from './options.ts'
import { type Input, prepare, type Prepared } from './request.ts'
import { pause, retryDelay } from './retries.ts'

type Reader<T> = (response: Response) => Promise<T> | T
/** Selects what to return of a response: one field, the whole body, or the response with its body unread. */
interface Reading {
  open?: PropertyKey | undefined
  unread?: boolean | undefined
  /** Follows a redirect. `fetch` sends no credentials to another origin. */
  follows?: boolean | undefined
}

/** Sends every request of the client. */
export class Client {
  readonly #options: PlatformOptions & { baseUrl: string }

  constructor(options: PlatformOptions & { baseUrl: string }) {
    this.#options = options
  }

  /** Sends an operation. @param open the response field to return; without it, returns the whole body */
  call<N extends Exclude<Operation, IdempotentOperation>, K extends FieldOf<N> = undefined>(
    operation: N,
    input: InputOf<N>,
    options?: RequestOptions,
    open?: K,
  ): Answer<Opened<N, K>> {
    return this.request(operation, input, options, { open })
  }

  /** Sends an operation with an idempotency key, so that the platform executes it once even if the request is repeated. */
  once<N extends IdempotentOperation, K extends FieldOf<N> = undefined>(
    operation: N,
    input: InputOf<N>,
    options?: RequestOptions,
    open?: K,
  ): Answer<Opened<N, K>> {
    return this.request(operation, input, keyed(options), { open })
  }

  /** Sends a request to any method and path. */
  request<T>(
    operation: string,
    input: Input,
    options: RequestOptions = {},
    { open, unread, follows }: Reading = {},
  ): Answer<T> {
    const whole = async (): Promise<WithResponse<T>> => {
      const read = async (response: Response) =>
        [response, unread ? response : await contentOf(response)] as const
      const [response, content] = await this.#send(operation, input, options, read, follows)
      const data = open === undefined ? content : (content as Record<PropertyKey, unknown>)[open]
      return { data: data as T, response, requestId: requestIdOf(response) }
    }
    return answerOf(whole())
  }

  /** Returns the events of a streaming operation. The request is sent when the first event is read. */
  stream<T>(
    operation: Operation,
    input: Input,
    read: (
      events: AsyncGenerator<ServerSentEvent, void>,
      response: Response,
    ) => AsyncGenerator<T, void>,
    { signal, ...options }: RequestOptions = {},
  ): EventStream<T> {
    const events = (own: AbortSignal) =>
      this.open(operation, input, read, { ...options, signal: own })
    return new EventStream(events, signal)
  }

  /** Sends one request for events. */
  async *open<T>(
    operation: Operation,
    input: Input,
    read: (
      events: AsyncGenerator<ServerSentEvent, void>,
      response: Response,
    ) => AsyncGenerator<T, void>,
    options: RequestOptions,
  ): AsyncGenerator<T, void> {
    const headers = { accept: 'text/event-stream', ...options.headers }
    const response = await this.#send(operation, input, { ...options, headers }, (one) => one)
    yield* read(readEvents(response), response)
  }

  async #send<T>(
    operation: string,
    input: Input,
    options: RequestOptions,
    read: Reader<T>,
    follows = false,
  ): Promise<T> {
    const request = { ...prepare(operation, input, options), follows }
    const max = request.repeatable ? (options.maxRetries ?? this.#options.maxRetries ?? 2) : 0
    for (let tries = 0; ; tries++)
      try {
        return await this.#once({ ...request, operation, tries }, options, read)
      } catch (error) {
        if (options.signal?.aborted) throw options.signal.reason
        const delay = tries < max ? retryDelay(error, tries) : undefined
        if (delay === undefined) throw error
        await pause(delay, options.signal)
      }
  }

  async #once<T>(
    {
      operation,
      tries,
      ...request
    }: Prepared & { operation: string; tries: number; follows: boolean },
    { signal, timeoutMs }: RequestOptions,
    read: Reader<T>,
  ): Promise<T> {
    const { baseUrl, apiKey, headers, credentials, onRequest, onResponse } = this.#options
    const url = `${baseUrl}${request.url}`
    const info = { operation, url, tries }
    onRequest?.(info)
    const startedAt = Date.now()
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeoutMs ?? this.#options.timeoutMs ?? 60_000)
    try {
      const response = await (this.#options.fetch ?? fetch)(url, {
        method: request.method,
        headers: {
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
          ...headers,
          ...request.headers,
        },
        body: request.body ?? null,
        ...(credentials !== undefined && { credentials }),
        redirect: request.follows ? 'follow' : 'manual',
        signal: signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]),
      })
      const { status } = response
      const requestId = requestIdOf(response)
      onResponse?.({ ...info, status, requestId, milliseconds: Date.now() - startedAt })
      if (status >= 400) throw errorOf(await contentOf(response).catch(() => undefined), response)
      return await read(response)
    } catch (cause) {
      if (cause instanceof PlatformError) throw cause
      const Kind = limit.signal.aborted ? TimeoutError : ConnectionError
      throw new Kind(`No answer from ${url}`, { cause })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Adds an idempotency key even if the client itself does not retry: the browser or runtime may resend a request. */
export function keyed(options: RequestOptions = {}): RequestOptions {
  return { ...options, idempotencyKey: options.idempotencyKey ?? crypto.randomUUID() }
}

function requestIdOf({ headers }: Response): string | undefined {
  return headers.get('x-request-id') ?? undefined
}

/** Returns the content of a response; for a redirect, its target. */
async function contentOf(response: Response): Promise<unknown> {
  const { status, headers } = response
  if (status >= 300 && status < 400) return headers.get('location') ?? ''
  const type = headers.get('content-type') ?? ''
  if (!/json|text/.test(type)) return response.arrayBuffer()
  const text = await response.text()
  if (type.includes('ndjson'))
    return (text.match(/.+/g) ?? []).map((line) => JSON.parse(line) as unknown)
  return type.includes('json') && text !== '' ? (JSON.parse(text) as unknown) : text
}
