import type { Provider } from './provider.ts'

/** Why one attempt at one model gave no answer. */
export class UpstreamFailure extends Error {
  /** The upstream's status; null where it gave none. */
  readonly status: number | null
  /** Seconds after which it asks to be tried again; undefined where it does not say. */
  readonly retryAfter: number | undefined

  constructor(
    message: string,
    status: number | null = null,
    options: ErrorOptions & { retryAfter?: number | undefined } = {},
  ) {
    super(message, options)
    this.name = 'UpstreamFailure'
    this.status = status
    this.retryAfter = options.retryAfter
  }

  /**
   * Whether the request itself is at fault, so that no other model would take it either. Everything else, from a
   * timeout to an unpaid bill, is worth another model: contract.md 5.
   */
  get isRequestFault(): boolean {
    return this.status === 400 || this.status === 413 || this.status === 422
  }
}

/**
 * The text of an error as OpenAI-compatible providers write it, shortened; undefined where there is none. Callers and
 * logs see it, so the key that it may repeat is taken out.
 */
export function errorText(body: unknown, { apiKey }: Provider): string | undefined {
  const error = (body as { error?: unknown } | null)?.error
  const message =
    typeof error === 'string' ? error : (error as { message?: unknown } | null)?.message
  if (typeof message !== 'string' || message === '') return undefined
  return (apiKey === undefined ? message : message.replaceAll(apiKey, '…')).slice(0, 500)
}

/** What a provider puts into an answer of status 200 instead of an answer. */
export function failureIn(body: unknown, provider: Provider): UpstreamFailure | undefined {
  const error = (body as { error?: unknown } | null)?.error
  if (error === undefined || error === null) return undefined
  const code = (error as { code?: unknown }).code
  const status = typeof code === 'number' && code >= 400 && code < 600 ? code : null
  return new UpstreamFailure(
    errorText(body, provider) ?? 'the provider answered with an error',
    status,
  )
}
