import { isAwakeLimit } from '../agents/awake.ts'
import { notConfigured, notFound, PlatformError } from '../platform/errors.ts'
import { awaitRunning } from '../fleet/activity/await-running.ts'
import { beginActivity } from '../fleet/activity/begin.ts'
import type { RunningAgent } from '../agents/running.ts'
import type { Agent } from '../agents/agent.ts'
import { gatewayToken } from '../agents/secrets.ts'
import type { HostRequest, GateContext } from './context.ts'
import { cookiesForAgent } from './cookie.ts'
import { type OpenLimit, openSlot } from '../platform/slots/open.ts'
import { subdomainOf } from './host.ts'
import { identify } from './identify.ts'

/** contract.md 20: the limit for one agent. Requests to a running agent do not wait. */
const waits: OpenLimit = { kind: 'waits', most: 50, what: 'requests that wait for this agent' }

/** Where a request goes, and what it carries there in place of what the client sent. */
export interface Upstream {
  /** `host:port` */
  upstream: string
  authorization: string
  /** Empty for none. */
  cookie: string
}

/**
 * Lets a request through to its agent, which is woken and waited for where it sleeps or starts, and kept awake for as
 * long as the router says that it does not ask again.
 * @throws PlatformError 404 for a host that is no agent's, 400 for an upgrade to anything but a WebSocket, 401, 403 and 404
 * as `identify` says, 503 AGENT_NOT_RUNNING, 409 STOPPED_BY_OPERATOR, 402 where it sleeps and its owner's plan has ended,
 * 504 AGENT_TIMEOUT, 429 TOO_MANY_OPEN
 */
export async function authorize(ctx: GateContext, request: HostRequest): Promise<Upstream> {
  const { AGENTS_DOMAIN, WALLET_ENCRYPTION_KEY: key, deployed } = ctx.config
  if (key === undefined) throw notConfigured('Reaching agents', ['WALLET_ENCRYPTION_KEY'])
  const subdomain = subdomainOf(request.host, AGENTS_DOMAIN)
  if (subdomain === undefined) throw notFound('Agent')
  // On a connection that became something else, requests could follow of which the router does not ask.
  if (request.upgrade !== undefined && request.upgrade.toLowerCase() !== 'websocket')
    throw new PlatformError('bad-request', 'Connections may only become WebSockets')
  const agent = await identify(ctx, key, subdomain, request)
  const { address, id, tokenVersion } = await running(ctx, agent, request)
  return {
    upstream: `${address.host}:${address.port}`,
    authorization: `Bearer ${await gatewayToken(key, id, tokenVersion)}`,
    cookie: cookiesForAgent(request.cookie, deployed),
  }
}

/** The agent once it runs. */
async function running(
  ctx: GateContext,
  agent: Agent,
  { signal, holdMs }: HostRequest,
): Promise<RunningAgent> {
  const deadline = Date.now() + ctx.wakeTimeoutMs
  const slot = agent.status === 'running' ? undefined : await openSlot(ctx.table, waits, agent.id)
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

/** To a client that only knows the agent's address, an agent that does not run is a service that is not there. */
function asUnavailable(error: PlatformError): PlatformError {
  // The names of its owner's other agents are not for who knows this one alone.
  if (isAwakeLimit(error)) {
    const message = 'The agent sleeps, and no more of its owner’s agents may be awake now'
    return new PlatformError('unavailable', message, { code: 'AGENT_NOT_RUNNING' })
  }
  if (error.code !== 'AGENT_NOT_RUNNING') return error
  const { message, details } = error
  return new PlatformError('unavailable', message, { code: 'AGENT_NOT_RUNNING', details })
}
