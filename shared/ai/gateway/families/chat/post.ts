import { isSuccess } from '#shared/platform/http-client/status.ts'
import { parseUpTo } from '#shared/platform/json.ts'
import type { Attempt } from '../../completions/call.ts'
import { inDialectOf } from '../../providers/dialect.ts'
import { errorIn, type ProviderError, UpstreamFailure } from '../../providers/failure.ts'
import { type ProviderResponse, call, text } from '../../providers/http.ts'
import type { Provider } from '../../providers/provider.ts'
import type { CompletionRequest } from '../../request.ts'

/** Far more than a model writes in one answer, streamed or not. */
const maxBytes = 64 * 1_048_576

/** Values in an error: far more than there are reasons for. */
const maxInError = 100_000

/** A request to one model, as it is sent to the provider. */
export interface ChatAttempt extends Pick<Attempt, 'route' | 'signal' | 'silent' | 'timeoutMs'> {
  request: CompletionRequest
}

/** The models, by address, that refuse `stream_options`. A restart forgets them. */
const withoutOptions = new Set<string>()

/** The maximum number of models to remember. */
const maxRemembered = 1000

/**
 * Requests a stream with its usage. Some servers, such as older ones of Azure OpenAI and Mistral, refuse the option for
 * that: then a stream without it is requested, and its tokens are estimated if it has no usage.
 * @throws UpstreamFailure
 */
export async function postForStream(attempt: ChatAttempt): Promise<ProviderResponse> {
  const { provider, model } = attempt.route
  const address = `${provider.baseUrl} ${model}`
  if (withoutOptions.has(address)) return post(attempt, { stream: true })
  try {
    return await post(attempt, { stream: true, stream_options: { include_usage: true } })
  } catch (error) {
    if (!refusesOptions(error)) throw error
    const answer = await post(attempt, { stream: true })
    // Only now: the text of a refusal can repeat the caller's words.
    if (withoutOptions.size < maxRemembered) withoutOptions.add(address)
    return answer
  }
}

function refusesOptions(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure)) return false
  const { status, message, body = message } = error
  return (status === 400 || status === 422) && /stream_options|include_usage/.test(body)
}

/**
 * Sends a request to one model.
 * @throws UpstreamFailure for every answer that is not a success
 */
export async function post(
  { route, request, timeoutMs, signal }: ChatAttempt,
  stream: object,
): Promise<ProviderResponse> {
  const fields = Object.entries(inDialectOf(route, request)).filter(([, value]) => value !== null)
  const answer = await call(route.provider, {
    path: '/chat/completions',
    json: { ...Object.fromEntries(fields), model: route.model, ...stream },
    timeouts: { idleMs: timeoutMs },
    maxBytes,
    signal,
  })
  if (isSuccess(answer.status)) return answer
  throw await refusal(answer, route.provider)
}

async function refusal(answer: ProviderResponse, provider: Provider): Promise<UpstreamFailure> {
  const body = await text(answer)
  let error: ProviderError | undefined
  try {
    error = errorIn(parseUpTo(body, maxInError), provider, true)
  } catch {
    // Proxies answer in HTML, and the status is enough.
  }
  const { status, retryAfter } = answer
  const { message = `the provider answered ${status}`, code, param } = error ?? {}
  return new UpstreamFailure(message, status, { retryAfter, code, param, body })
}
