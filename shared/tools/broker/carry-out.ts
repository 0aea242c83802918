import { ownerOf, toItem } from '#shared/agents/record/agent.ts'
import type { Execution, Outcome } from '#shared/permits/approvals/work/executor.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { HttpFailure, neverSent } from '#shared/platform/http-client/failure.ts'
import { textBeginning } from '#shared/platform/http-client/text.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { brokerCredentialsKey } from './credentials.ts'
import { fromParked } from './parked.ts'
import { useBrokerCredential, type UsesCredentials } from './use.ts'

/** The timeout of a request in milliseconds. It is shorter than the lease of an approval. */
const totalMs = 110_000

/** The maximum size of a response for the agent, in bytes. */
const maxAnswer = 24_000

/**
 * Sends an approved broker request, once. The approval's id goes along as the idempotency key, unless the agent set
 * one.
 * @throws PlatformError 404 if the credential was deleted, 403 BROKER_HOST_REFUSED, 429, 503
 */
export async function carryOutBrokerRequest(
  ctx: Pick<Context, 'table' | 'log'> & UsesCredentials,
  { approval, request, agent, sending }: Execution,
): Promise<Outcome> {
  const { headers: parked, ...use } = fromParked(request)
  const { id: agentId, userId, generation } = agent
  const beside = await ctx.table.get(brokerCredentialsKey({ agentId, userId: ownerOf(agent) }))
  const rows = { agent: toItem(agent), owner: undefined, beside }
  const headers = new Headers(parked)
  if (!headers.has('idempotency-key')) headers.set('idempotency-key', approval.id)
  let isSent = false
  try {
    const answer = await useBrokerCredential(
      { ...ctx, actor: { type: 'agent', agentId, userId, generation, rows } },
      {
        ...use,
        headers,
        body: request.body === undefined ? null : [request.body],
        signal: AbortSignal.timeout(totalMs),
        async sending() {
          await sending()
          isSent = true
        },
      },
    )
    const { status, body } = answer
    const text = body === null ? '' : (await textBeginning({ body, close() {} }, maxAnswer)).text
    return { state: 'done', result: { status, body: text } }
  } catch (error) {
    if (!isSent || !(error instanceof PlatformError)) throw error
    return { state: 'failed', error: failureText(error) }
  }
}

function failureText({ message, cause, code }: PlatformError): string {
  if (cause instanceof HttpFailure && neverSent(cause)) return message
  const text = code === 'CLIENT_CLOSED_REQUEST' ? 'The host did not answer in time' : message
  return `${text}. The request may have been done`
}
