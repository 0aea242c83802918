import { requireAgent } from '#shared/agents/record/find.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import type { PublicActor, UserActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { callUpstream, type HasX402Gateway, requireGateway, type UpstreamReply } from './call.ts'
import { readEndpoints, readFitness, readPricing } from './read.ts'
import type { UpstreamRequest } from './schema.ts'

/** spec.md, Limits: x402 timeouts. */
const timeoutsMs = { join: 10_000, pay: 15_000 }

/**
 * Carries out an action at the x402 gateway. The order of the checks: action (400, by the schema), session (401),
 * fields (400), configuration (503), agent (404).
 * @returns the response; for join-colony and pay the gateway's own status and body
 * @throws PlatformError in that order, and 500 if the gateway does not respond to join-colony or pay
 */
export async function actUpstream(
  ctx: Context<UserActor | PublicActor> & HasX402Gateway,
  request: UpstreamRequest,
): Promise<UpstreamReply> {
  if (request.action === 'endpoints') return { status: 200, body: await readEndpoints(ctx) }
  const { actor, owner } = ctx
  // Refused, because an account without an email address cannot be notified of its payment.
  if (owner === undefined || actor.type !== 'user' || actor.user.email === '')
    throw new PlatformError('unauthorized', 'Authentication required')
  const agentId = required(request, 'agentId')
  switch (request.action) {
    case 'fitness':
      requireGateway(ctx)
      return { status: 200, body: await readFitness(ctx, agentId) }
    case 'pricing':
      requireGateway(ctx)
      return { status: 200, body: await readPricing(ctx, agentId) }
    case 'join-colony': {
      const json = { agentId, walletAddress: required(request, 'walletAddress') }
      const timeoutMs = timeoutsMs.join
      return passOn(ctx, owner, { path: '/gateway/colony/join', json, timeoutMs })
    }
    case 'pay': {
      const json = {
        agentId,
        amount: required(request, 'amount'),
        currency: required(request, 'currency'),
        recipient: required(request, 'recipient'),
        endpoint: request.endpoint,
        method: request.method,
      }
      const timeoutMs = timeoutsMs.pay
      return passOn(ctx, owner, { path: '/gateway/pay', json, timeoutMs })
    }
  }
}

/** @throws PlatformError 400 */
function required(
  request: UpstreamRequest,
  name: Exclude<keyof UpstreamRequest, 'action'>,
): string {
  const value = request[name]
  if (value === undefined || value === '')
    throw new PlatformError('bad-request', `${name} required`)
  return value
}

interface Change {
  path: string
  json: { agentId: string }
  timeoutMs: number
}

/** Forwards an action of one of the owner's agents to the gateway. */
async function passOn(
  ctx: Context<UserActor | PublicActor> & HasX402Gateway,
  owner: string,
  change: Change,
): Promise<UpstreamReply> {
  requireGateway(ctx)
  await requireAgent(ctx, { agentId: change.json.agentId, owner })
  // A retry with the same Idempotency-Key is the same request for the gateway too, even after a crash in between.
  const headers = { 'idempotency-key': ctx.seed }
  const reply = await callUpstream(ctx, { ...change, headers }).catch((cause: unknown) => {
    throw failed(cause)
  })
  // A redirect means that the action was not carried out.
  if (reply.status < 200 || (reply.status >= 300 && reply.status <= 399))
    throw failed(new Error(`the x402 gateway responded with ${reply.status}`))
  return { status: reply.status, body: { success: isSuccess(reply.status), ...reply.body } }
}

/** Returns the error of spec.md; the cause is only logged. */
function failed(cause: unknown): PlatformError {
  return new PlatformError('internal', 'x402 gateway error', { cause })
}
