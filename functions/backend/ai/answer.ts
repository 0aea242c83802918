import { type CallerRules, callerOf } from '#shared/ai/gateway/caller.ts'
import type { ModelCall, StreamEvent } from '#shared/ai/gateway/completions/call.ts'
import { complete, type WholeCall } from '#shared/ai/gateway/completions/complete.ts'
import type { AiContext } from '#shared/ai/gateway/context.ts'
import { routingHeader } from '#shared/ai/gateway/routing/combine.ts'
import type { ErrorForm } from '#shared/http/errors.ts'
import type { GuardActor } from '#shared/http/guards/guard.ts'
import type { RequestContext } from '#shared/http/route.ts'
import type { PlatformError } from '#shared/platform/errors.ts'
import { billingOf } from './billing.ts'
import { KeepAlive } from './keep-alive.ts'
import { respondEarly } from './respond-early.ts'
import { respond } from './respond.ts'

/** The log comes from the request. */
export type Services = Omit<AiContext, 'log'> & CallerRules

export interface CallForm<Answer> {
  /** Reads the body, after plan and subscription are checked. @throws PlatformError 400 */
  read(): ModelCall<Answer> | Promise<ModelCall<Answer>>
  /** The body of a whole answer. */
  write(call: WholeCall<Answer>): object
  errorForm: ErrorForm
  /** Writes the event of a stream that failed before its first event. Default: an event `error`. */
  failed?: ((error: PlatformError) => StreamEvent) | undefined
  /** Throws an error in the form of the route. */
  refuse(thrown: unknown): never
}

/** Runs a call of a model and responds in the format of the route. @throws what `refuse` makes of an error */
export async function answerCall<Answer>(
  context: RequestContext<GuardActor['internal-user-or-agent']> & Services,
  { read, write, errorForm, failed, refuse }: CallForm<Answer>,
): Promise<Response> {
  const { request, requestId, actor, log } = context
  const { signal } = request
  const caller = callerOf(context, billingOf(request))
  const endpoint = new URL(request.url).pathname
  const header = (name: string) => request.headers.get(name)
  const [traceparent, tracestate] = [header('traceparent'), header('tracestate')]
  const keepAlive = new KeepAlive()
  const connection = { log, requestId, signal, errorForm, keepAlive, failed }
  const completing = complete(context, {
    caller,
    read,
    signal,
    stops: actor.type === 'agent',
    endpoint,
    routing: header(routingHeader),
    session: header('x-session-id'),
    ...(traceparent && { traceparent }),
    ...(tracestate && { tracestate }),
    onSilent: (waiting) => keepAlive.seen(waiting),
  }).catch(refuse)
  const first = await Promise.race([completing, keepAlive.needed])
  return 'kind' in first
    ? respond(first, connection, write)
    : respondEarly(completing, first, connection, write)
}
