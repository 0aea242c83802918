import type { Attempt } from '../../completions/call.ts'
import { inDialectOf } from '../../providers/dialect.ts'
import { UpstreamFailure } from '../../providers/failure.ts'
import type { ProviderResponse } from '../../providers/http.ts'
import { post } from '../../providers/post.ts'
import type { CompletionRequest } from './parse.ts'

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
  if (withoutOptions.has(address)) return postChat(attempt, { stream: true })
  try {
    return await postChat(attempt, { stream: true, stream_options: { include_usage: true } })
  } catch (error) {
    if (!refusesOptions(error)) throw error
    const answer = await postChat(attempt, { stream: true })
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
export function postChat(attempt: ChatAttempt, stream: object): Promise<ProviderResponse> {
  const { route, request } = attempt
  const fields = Object.entries(inDialectOf(route, request)).filter(([, value]) => value !== null)
  const json = { ...Object.fromEntries(fields), model: route.model, ...stream }
  return post(attempt, { path: '/chat/completions', json })
}
