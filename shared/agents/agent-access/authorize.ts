import { notConfigured, notFound, PlatformError } from '#shared/platform/errors.ts'
import { type OpenLimit, openSlot } from '#shared/platform/slots/open.ts'
import { awaitRunning } from '../fleet/activity/await-running.ts'
import { beginActivity } from '../fleet/activity/begin.ts'
import type { Agent } from '../record/agent.ts'
import { isAwakeLimit } from '../record/awake.ts'
import type { RunningAgent } from '../record/running.ts'
import { gatewayToken } from '../record/secrets.ts'
import type { HostRequest, GateContext } from './context.ts'
import { cookiesForAgent } from './cookie.ts'
import { subdomainOf } from './host.ts'
import { identify } from './identify.ts'
import { signLease } from './lease.ts'

/**
 * contract.md 20: the limit of a user over all agents, and so of each agent. Requests to a running agent do not wait.
 */
const waits: OpenLimit = { kind: 'waits', most: 50, what: 'requests that wait for agents' }

/** The address to forward a request to, and the headers that replace the client's. */
export interface Upstream {
  /** `host:port` */
  upstream: string
  authorization: string
  /** Empty if there are no cookies. */
  cookie: string
  /** A lease that the agent's gateway renews, for a router that does not repeat its request. */
  lease: string | undefined
}

/**
 * Authorizes a request to an agent. Wakes the agent and waits for it if necessary, and keeps it awake until the
 * router's next request for the connection.
 * @throws PlatformError 404 for a host without an agent, 400 for an upgrade to anything but a WebSocket, 401, 403 and
 * 404 as `identify`, 503 AGENT_NOT_RUNNING, 409 STOPPED_BY_OPERATOR, 402 if it sleeps and its owner's plan has ended,
 * 504 AGENT_TIMEOUT, 429 TOO_MANY_OPEN
 */
export async function authorize(ctx: GateContext, request: HostRequest): Promise<Upstream> {
  const { AGENTS_DOMAIN, WALLET_ENCRYPTION_KEY: key, deployed } = ctx.config
  if (key === undefined) throw notConfigured('Reaching agents', ['WALLET_ENCRYPTION_KEY'])
  const subdomain = subdomainOf(request.host, AGENTS_DOMAIN)
  if (subdomain === undefined) throw notFound('Agent')
  // On an upgraded connection, more requests could follow without authorization by the router.
  if (request.upgrade !== undefined && request.upgrade.toLowerCase() !== 'websocket')
    throw new PlatformError('bad-request', 'Connections can only be upgraded to WebSockets')
  const admitted = await identify(ctx, key, subdomain, request)
  const { address, id, tokenVersion } = await running(ctx, admitted.agent, request)
  return {
    upstream: `${address.host}:${address.port}`,
    authorization: `Bearer ${await gatewayToken(key, id, tokenVersion)}`,
    cookie: cookiesForAgent(request.cookie, deployed),
    lease: request.holdMs === undefined ? undefined : await signLease(key, admitted),
  }
}

/** Waits until the agent runs, and returns it. */
async function running(
  ctx: GateContext,
  agent: Agent,
  { signal, holdMs }: HostRequest,
): Promise<RunningAgent> {
  const deadline = Date.now() + ctx.wakeTimeoutMs
  const { id, userId, status } = agent
  const holder = userId === null ? id : `user-${userId}`
  const slot = status === 'running' ? undefined : await openSlot(ctx.table, waits, holder)
  try {
    const started =
      agent.status === 'provisioning'
        ? await awaitRunning(ctx, { agent, timeoutMs: ctx.wakeTimeoutMs, signal })
        : agent
    using activity = await beginActivity(ctx, {
      agent: started,
      timeoutMs: deadline - Date.now(),
      signal,
      holdMs,
    })
    return activity.agent
  } catch (error) {
    throw error instanceof PlatformError ? asUnavailable(error) : error
  } finally {
    await slot?.release()
  }
}

/** Converts the error to 503: to a client of the agent's host, an agent that does not run is an unavailable service. */
function asUnavailable(error: PlatformError): PlatformError {
  // A client of one agent must not learn the names of its owner's other agents.
  if (isAwakeLimit(error)) {
    const message = 'The agent is asleep, and its owner has reached the limit of awake agents'
    return new PlatformError('unavailable', message, { code: 'AGENT_NOT_RUNNING' })
  }
  if (error.code !== 'AGENT_NOT_RUNNING') return error
  const { message, details } = error
  return new PlatformError('unavailable', message, { code: 'AGENT_NOT_RUNNING', details })
}
