import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import type { Can, Optional } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Agent } from '../record/agent.ts'
import { isRunning, notRunning } from '../record/running.ts'
import { gatewayToken } from '../record/secrets.ts'
import { agentFailure } from './failure.ts'
import { parseAnswer, readWhole } from './read-whole.ts'
import { type AgentRequest, type AgentTimeouts, requestAgent } from './request.ts'

/** The context of calls to the gateway of an agent's container. */
export type ReachContext = Can<'encryptionKey'> & Optional<Pick<Context, 'requestId'> & ReachLimits>

interface ReachLimits {
  /** Aborted when the caller disconnects. */
  signal: AbortSignal
  timeouts: AgentTimeouts
}

/**
 * A client of an agent's gateway, whose routes are in agent/README.md. Requests and responses are JSON. Paths are sent
 * unchanged, so ids in them must be encoded.
 * @throws PlatformError 502 AGENT_UNREACHABLE or AGENT_FAILED, 504 AGENT_TIMEOUT, 404 for a missing resource, and other
 * errors of the agent
 */
export interface AgentGateway {
  get(path: string): Promise<unknown>
  put(path: string, body: object): Promise<unknown>
  post(path: string, body?: object): Promise<unknown>
  /** Succeeds if there is nothing to delete. */
  delete(path: string): Promise<void>
}

/** Short, because an agent responds to requests for its files and stats immediately and callers wait. */
const defaultTimeouts: AgentTimeouts = { idleMs: 10_000, totalMs: 20_000 }

/**
 * Returns the client of a running agent's gateway.
 * @throws PlatformError 409 AGENT_NOT_RUNNING, 503 without WALLET_ENCRYPTION_KEY
 */
export async function agentGateway(ctx: ReachContext, agent: Agent): Promise<AgentGateway> {
  if (!isRunning(agent)) throw notRunning(agent)
  return gatewayOf(ctx, agent)
}

/**
 * Returns the client of an agent's gateway if the agent has an address, even while it starts.
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

/** Returns the address and token of an agent's gateway, with the request's trace and signal. */
export async function locate(
  { encryptionKey, requestId, signal }: ReachContext,
  agent: Agent,
): Promise<Pick<AgentRequest, 'address' | 'token' | 'hasConnections' | 'requestId' | 'signal'>> {
  if (encryptionKey === undefined) throw notConfigured('Reaching agents', ['WALLET_ENCRYPTION_KEY'])
  const { id, address, tokenVersion } = agent
  if (address === undefined) throw notRunning(agent)
  return {
    address,
    token: await gatewayToken(encryptionKey, id, tokenVersion),
    hasConnections: agent.hasConnections === true,
    requestId,
    signal,
  }
}

async function exchange(wanted: AgentRequest, timeouts: AgentTimeouts): Promise<unknown> {
  const { status, headers, body } = await requestAgent(wanted, timeouts)
  const text = await readWhole(body)
  if (!isSuccess(status)) {
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
