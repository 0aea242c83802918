import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { isObject } from '../answers/form.ts'
import type { Provider } from './provider.ts'

interface FailureOptions extends ErrorOptions {
  retryAfter?: number | undefined
  code?: string | undefined
  param?: string | undefined
  body?: string | undefined
}

/** The maximum length of a stored error: enough for its message and the fields that it names. */
const maxBody = 2000

/** The reason why an attempt failed. */
export class UpstreamFailure extends Error {
  /** The provider's status. Null without one. */
  readonly status: number | null
  /** The Retry-After in seconds. Undefined if the provider sends none. */
  readonly retryAfter: number | undefined
  /** The provider's error code and parameter; undefined if it sends none. */
  readonly code: string | undefined
  readonly param: string | undefined
  /** The start of the response text; undefined without one. It may contain a secret, so only programs read it. */
  readonly body: string | undefined

  constructor(message: string, status: number | null = null, options: FailureOptions = {}) {
    super(message, options)
    this.name = 'UpstreamFailure'
    this.status = status
    this.retryAfter = options.retryAfter
    this.code = options.code
    this.param = options.param
    this.body = options.body?.slice(0, maxBody)
  }

  /**
   * True if the request itself is invalid, so that no other model would accept it. After all other errors, such as a
   * timeout or an unpaid bill, another model is tried: contract.md 5.
   */
  get isRequestFault(): boolean {
    return this.status === 400 || this.status === 413 || this.status === 422
  }

  /**
   * True if other requests would probably fail too: no or a malformed response, a limit, an error of the provider, or a
   * problem with the key. False for 403 and 404, which can depend on the prompt and the model.
   */
  get isProviderFault(): boolean {
    return !this.isRequestFault && this.status !== 403 && this.status !== 404
  }

  /** True if the provider sent no byte for AI_MODEL_TIMEOUT_MS. */
  get isTimeout(): boolean {
    const { cause } = this
    return cause instanceof HttpFailure && (cause.kind === 'idle' || cause.kind === 'total')
  }
}

/** The error of a provider, in a common form. */
export interface ProviderError {
  message?: string | undefined
  code?: string | undefined
  param?: string | undefined
  /** Set if the code is an HTTP status. */
  status?: number | undefined
}

/**
 * Reads the error in a body. Returns undefined without an error. Callers and logs see its text, so the text is
 * shortened and the API key is removed.
 * @param refused whether the status already shows that the body is an error
 */
export function errorIn(
  body: unknown,
  { apiKey }: Provider,
  refused: boolean,
): ProviderError | undefined {
  // Google wraps its errors in a list.
  const root: unknown = Array.isArray(body) ? body[0] : body
  if (!isObject(root)) return undefined
  const error = providerErrorIn(root, refused)
  if (error === undefined) return undefined
  const { message } = error
  if (message === undefined) return error
  const shown = apiKey === undefined ? message : message.replaceAll(apiKey, '…')
  return { ...error, message: shown.slice(0, 500) }
}

function providerErrorIn(
  body: Record<string, unknown>,
  refused: boolean,
): ProviderError | undefined {
  const { error, errors, base_resp: minimax, choices, object, code, type } = body
  if (isObject(error) && Object.keys(error).length > 0) return withRaw(error) ?? fieldsOf(error)
  // xAI, Ollama and LM Studio send the text itself as `error`; xAI also sends `code`.
  if (typeof error === 'string' && error !== '') return { ...fieldsOf(body), message: error }
  // Cloudflare's form.
  if (Array.isArray(errors) && isObject(errors[0])) return fieldsOf(errors[0])
  if (isObject(minimax) && minimax.status_code !== 0 && minimax.status_code !== undefined)
    return { message: textOf(minimax.status_msg), code: String(minimax.status_code) }
  // vLLM, Mistral, Cohere and Bedrock send the fields at the top level. FastAPI does the same with its own fields.
  const hasCode = code !== undefined && code !== null && code !== 0
  const isError = object === 'error' || hasCode || /error/i.test(String(type))
  return choices === undefined && (refused || isError) ? fieldsOf(body) : undefined
}

/** OpenRouter wraps the error of a provider as text in its own error. */
function withRaw(error: Record<string, unknown>): ProviderError | undefined {
  const raw = isObject(error.metadata) ? error.metadata.raw : undefined
  if (typeof raw !== 'string' || raw.length > longestRaw) return undefined
  try {
    const inner: unknown = JSON.parse(raw)
    const innerError = isObject(inner) ? providerErrorIn(inner, true) : undefined
    const { status } = fieldsOf(error)
    return innerError?.message === undefined
      ? undefined
      : { ...innerError, status: status ?? innerError.status }
  } catch {
    // The text is not JSON, so the outer error is used.
    return undefined
  }
}

/** The maximum length of an error within an error, in characters. */
const longestRaw = 65_536

function fieldsOf(error: Record<string, unknown>): ProviderError {
  const { code, status, param } = error
  const number = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code
  return {
    message: textOf(error.message) ?? textOf(error.detail),
    // A numeric code repeats the status. Google sends a textual code in `status`.
    code: typeof number === 'number' ? wordOf(status) : wordOf(code),
    param: wordOf(param),
    ...(typeof number === 'number' && number >= 400 && number < 600 && { status: number }),
  }
}

/** Returns a text, also from nested lists and objects: FastAPI reports invalid fields in this form. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  const inner: unknown = Array.isArray(value) ? value[0] : value
  return isObject(inner)
    ? (textOf(inner.msg) ?? textOf(inner.message) ?? textOf(inner.detail))
    : undefined
}

function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined
}

/** Returns the error that a provider sends with status 200. */
export function failureIn(body: unknown, provider: Provider): UpstreamFailure | undefined {
  const error = errorIn(body, provider, false)
  if (error === undefined) return undefined
  const { message = 'the provider answered with an error', status = null, code, param } = error
  return new UpstreamFailure(message, status, { code, param })
}
