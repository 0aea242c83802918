import { notConfigured, PlatformError } from '../platform/errors.ts'
import { isRunning, notRunning } from '../agents/running.ts'
import type { Agent } from '../agents/agent.ts'
import { gatewayToken } from '../agents/secrets.ts'
import { agentFailure } from './failure.ts'
import { type AgentRequest, type AgentTimeouts, requestAgent } from './request.ts'
import { parseAnswer, readWhole } from './whole.ts'

/** What reaching an agent's container takes. */
export interface ReachContext {
  /** WALLET_ENCRYPTION_KEY, from which the gateways' tokens come. */
  encryptionKey: string | undefined
  requestId?: string | undefined
  /** Aborted when the caller leaves. */
  signal?: AbortSignal | undefined
  timeouts?: AgentTimeouts | undefined
}

/**
 * An agent's gateway, as agent/README.md describes its routes: JSON there and back. Paths are as they go over the
 * wire, so ids in them are encoded.
 * @throws PlatformError 502 AGENT_UNREACHABLE or AGENT_FAILED, 504 AGENT_TIMEOUT, 404 for what the agent does not have,
 * and what else the agent refuses with
 */
export interface AgentGateway {
  get(path: string): Promise<unknown>
  put(path: string, body: object): Promise<unknown>
  post(path: string, body?: object): Promise<unknown>
  /** What is not there is as good as deleted. */
  delete(path: string): Promise<void>
}

/** An agent answers about its own files and stats at once, and callers have little time to wait. */
const defaultTimeouts: AgentTimeouts = { idleMs: 10_000, totalMs: 20_000 }

/**
 * The gateway of a running agent.
 * @throws PlatformError 409 AGENT_NOT_RUNNING, 503 without WALLET_ENCRYPTION_KEY
 */
export async function agentGateway(ctx: ReachContext, agent: Agent): Promise<AgentGateway> {
  if (!isRunning(agent)) throw notRunning(agent)
  return gatewayOf(ctx, agent)
}

/**
 * The gateway of an agent that has an address, also while it is on its way up.
 * @throws PlatformError 409 AGENT_NOT_RUNNING without an address, 503 without WALLET_ENCRYPTION_KEY
 */
export async function gatewayOf(ctx: ReachContext, agent: Agent): Promise<AgentGateway> {
  const target = await locate(ctx, agent)
  const call = (method: AgentRequest['method']) => (path: string, body?: object) =>
    exchange({ ...target, method, path, body }, ctx.timeouts ?? defaultTimeouts)
  const remove = call('DELETE')
  return {
    get: call('GET'),
    put: call('PUT'),
    post: call('POST'),
    async delete(path) {
      await remove(path).catch((error: unknown) => {
        if (!(error instanceof PlatformError && error.kind === 'not-found')) throw error
      })
    },
  }
}

/** Where an agent's gateway is and what opens it, with the request's own id and end. */
export async function locate(
  { encryptionKey, requestId, signal }: ReachContext,
  agent: Agent,
): Promise<Pick<AgentRequest, 'address' | 'token' | 'requestId' | 'signal'>> {
  if (encryptionKey === undefined) throw notConfigured('Reaching agents', ['WALLET_ENCRYPTION_KEY'])
  const { id, address, tokenVersion } = agent
  if (address === undefined) throw notRunning(agent)
  return { address, token: await gatewayToken(encryptionKey, id, tokenVersion), requestId, signal }
}

async function exchange(wanted: AgentRequest, timeouts: AgentTimeouts): Promise<unknown> {
  const { status, headers, body } = await requestAgent(wanted, timeouts)
  const text = await readWhole(body)
  if (status < 200 || status > 299) {
    const failure = agentFailure(status, text, headers['retry-after'])
    throw status === 404 ? new PlatformError('not-found', failure.message) : failure
  }
  try {
    return parseAnswer(text)
  } catch (cause) {
    throw new PlatformError('bad-gateway', 'The agent’s answer cannot be read', {
      code: 'AGENT_FAILED',
      cause,
    })
  }
}
