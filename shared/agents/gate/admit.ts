import { notConfigured, notFound, PlatformError } from '../../platform/errors.ts'
import { awaitRunning } from '../activity/await-running.ts'
import { beginActivity } from '../activity/begin.ts'
import type { RunningAgent } from '../activity/running.ts'
import type { Agent } from '../agent.ts'
import { gatewayToken } from '../secrets.ts'
import type { Asked, GateContext } from './context.ts'
import { cookiesForAgent } from './cookie.ts'
import { subdomainOf } from './host.ts'
import { identify } from './identify.ts'

/** Where a request goes, and what it carries there in place of what the client sent. */
export interface Passage {
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
 * as `identify` says, 503 AGENT_NOT_RUNNING,
 * 504 AGENT_TIMEOUT
 */
export async function admit(ctx: GateContext, asked: Asked): Promise<Passage> {
  const { AGENTS_DOMAIN, WALLET_ENCRYPTION_KEY: key, deployed } = ctx.config
  if (key === undefined) throw notConfigured('Reaching agents', ['WALLET_ENCRYPTION_KEY'])
  const subdomain = subdomainOf(asked.host, AGENTS_DOMAIN)
  if (subdomain === undefined) throw notFound('Agent')
  // On a connection that became something else, requests could follow that nobody asked the gate about.
  if (asked.upgrade !== undefined && asked.upgrade.toLowerCase() !== 'websocket')
    throw new PlatformError('bad-request', 'Connections may only become WebSockets')
  const agent = await identify(ctx, key, subdomain, asked)
  const { address, id, tokenVersion } = await running(ctx, agent, asked)
  return {
    upstream: `${address.host}:${address.port}`,
    authorization: `Bearer ${await gatewayToken(key, id, tokenVersion)}`,
    cookie: cookiesForAgent(asked.cookie, deployed),
  }
}

/** The agent once it runs. */
async function running(
  ctx: GateContext,
  agent: Agent,
  { signal, holdMs }: Asked,
): Promise<RunningAgent> {
  const deadline = Date.now() + ctx.patienceMs
  try {
    const started =
      agent.status === 'provisioning'
        ? await awaitRunning(ctx, agent, { timeoutMs: ctx.patienceMs, signal })
        : agent
    using activity = await beginActivity(ctx, started, {
      timeoutMs: deadline - Date.now(),
      signal,
      holdMs,
    })
    return activity.agent
  } catch (error) {
    throw error instanceof PlatformError ? asUnavailable(error) : error
  }
}

/** To whoever only knows the agent's address, an agent that does not run is a service that is not there. */
function asUnavailable(error: PlatformError): PlatformError {
  if (error.kind !== 'conflict') return error
  const { message, details } = error
  return new PlatformError('unavailable', message, { code: 'AGENT_NOT_RUNNING', details })
}
