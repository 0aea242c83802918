import { sessionOf } from '#shared/permits/approvals/session.ts'
import type { Execution, Outcome } from '#shared/permits/approvals/work/executor.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { ServerFailure } from '../server/failure.ts'
import { callConnectionTool } from './call.ts'
import type { UsesConnections } from './context.ts'
import { fromParkedCall } from './parked.ts'

/** The maximum size of a result for the agent, in characters. */
const maxResult = 24_000

/** The failures after which the server has certainly not executed the call. */
const notDone = new Set<ServerFailure['kind']>(['unauthorized', 'scope', 'rpc', 'refused'])

/**
 * Carries out an approved call of a connection's tool, once.
 * @throws PlatformError 404 if the connection was deleted or the tool is no longer allowed, 409, 429, 503
 */
export async function carryOutToolCall(
  ctx: UsesConnections,
  { request, agent, sending }: Execution,
): Promise<Outcome> {
  let isSent = false
  try {
    const outcome = await callConnectionTool(ctx, {
      ...fromParkedCall(request),
      agent,
      session: sessionOf(new Headers()),
      signal: new AbortController().signal,
      async sending() {
        await sending()
        isSent = true
      },
    })
    const text = 'result' in outcome ? JSON.stringify(outcome.result) : ''
    return { state: 'done', result: { status: 200, body: text.slice(0, maxResult).toWellFormed() } }
  } catch (error) {
    if (!isSent || !(error instanceof PlatformError)) throw error
    const { message, cause } = error
    const wasRefused =
      cause instanceof ServerFailure && (notDone.has(cause.kind) || cause.facts.neverSent === true)
    return { state: 'failed', error: wasRefused ? message : `${message}. It may have been done` }
  }
}
