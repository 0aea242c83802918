import { type Caller, requirePlan } from '../../caller.ts'
import { callerDisconnected } from '../../completions/disconnect.ts'
import type { AiContext } from '../../context.ts'
import { chooseModels } from '../../models/choose.ts'
import { UpstreamFailure } from '../../providers/failure.ts'
import { withOwnKeys } from '../../providers/own-keys.ts'
import { post, wholeOf } from '../../providers/post.ts'
import { anthropicVersion } from '../../providers/presets.ts'
import type { Route } from '../../providers/provider.ts'
import { speaks } from '../../providers/speaks.ts'
import { promptTokens } from '../../tokens.ts'
import type { MessagesHeaders } from './ask.ts'
import { sizeOfMessages } from './bound.ts'
import type { MessagesRequest } from './parse.ts'

interface Counting {
  caller: Caller
  read(): MessagesRequest
  headers: MessagesHeaders
  signal: AbortSignal
}

/**
 * Counts the tokens of a prompt: as the provider counts them if it serves Messages, otherwise an estimate on the high
 * side. It costs nothing and uses no quota.
 * @throws PlatformError 400, 402, 403 and 404 as a call of the model
 */
export async function countTokens(
  context: AiContext,
  { caller, read, headers, signal }: Counting,
): Promise<{ input_tokens: number }> {
  const plan = requirePlan(caller)
  const request = read()
  const providers = await withOwnKeys(context, caller)
  const { routes } = await chooseModels(
    { ...context, providers },
    { ...caller, plan, model: request.model, agent: caller.agentId !== null },
  )
  const [route] = routes
  const counted =
    route && speaks(route, 'messages')
      ? await countAt(context, { route, request, headers, signal })
      : undefined
  const id = route?.id ?? request.model
  return { input_tokens: counted ?? promptTokens(sizeOfMessages(request), id) }
}

/** @returns undefined if the provider does not count */
async function countAt(
  { timeoutMs, log }: AiContext,
  counting: {
    route: Route
    request: MessagesRequest
    headers: MessagesHeaders
    signal: AbortSignal
  },
): Promise<number | undefined> {
  const { route, request, headers, signal } = counting
  const { max_tokens: _, stream: __, ...prompt } = request
  try {
    const answer = await post(
      { route, signal, timeoutMs },
      {
        path: '/messages/count_tokens',
        json: { ...prompt, model: route.model },
        headers: { 'anthropic-version': anthropicVersion, ...headers },
        keyIn: 'x-api-key',
      },
    )
    const { input_tokens } = (await wholeOf(answer, { route, silent: undefined })).body
    return Number.isSafeInteger(input_tokens) ? Number(input_tokens) : undefined
  } catch (error) {
    if (signal.aborted) throw callerDisconnected()
    if (!(error instanceof UpstreamFailure)) throw error
    log.warn('a provider did not count tokens', { model: route.id, reason: error.message })
    return undefined
  }
}
