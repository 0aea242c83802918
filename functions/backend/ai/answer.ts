import { callerOf } from '../../../shared/ai/caller.ts'
import { complete, type CompletionInput } from '../../../shared/ai/completions/complete.ts'
import type { ErrorForm } from '../../../shared/http/errors.ts'
import type { GuardActor } from '../../../shared/http/guards/guard.ts'
import type { RequestContext } from '../../../shared/http/route.ts'
import { billingOf } from './billing.ts'
import { respond, type WholeCompletion } from './respond.ts'
import type { AiServices } from './services.ts'

export interface ChatForm {
  read: CompletionInput['read']
  /** The body of a whole answer. */
  write(completion: WholeCompletion): object
  errorForm: ErrorForm
}

/** A chat completion, asked for and answered in the form of the route. @throws what `complete` throws */
export async function answerChat(
  context: RequestContext<GuardActor['internal-user-or-agent']> & AiServices,
  { read, write, errorForm }: ChatForm,
): Promise<Response> {
  const { request, actor, log, adminEmails } = context
  const gone = new AbortController()
  const { signal } = gone
  request.signal.addEventListener('abort', () => gone.abort(request.signal.reason), { once: true })
  if (request.signal.aborted) gone.abort(request.signal.reason)
  const caller = callerOf(adminEmails, actor, billingOf(request))
  const endpoint = new URL(request.url).pathname
  const completion = await complete(context, { caller, read, signal, endpoint })
  return respond(completion, { log, signal, leave: () => gone.abort(), errorForm }, write)
}
