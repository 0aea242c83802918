import { Hono } from 'hono'
import agentPackage from '../../package.json' with { type: 'json' }
import type { Env } from '../http/app.ts'
import { type Traffic, trafficHeaders } from '../traffic.ts'

/** The header of `/readyz` with the agent's id. The platform checks it, because an address may be reused for another container. */
export const agentHeader = 'agent-id'

/** The probes of spec.md, Health and heartbeat. They need no token. */
export function healthRoutes(
  agentId: string,
  { failing, traffic }: { failing: () => Promise<string[]>; traffic: () => Traffic },
) {
  const startedAt = performance.now()
  const live = { ok: true, status: 'live' }
  return new Hono<Env>()
    .get('/healthz', (c) => c.json(live))
    .get('/health', (c) => c.json({ ...live, version: agentPackage.version }))
    .get('/readyz', async (c) => {
      const reasons = await failing()
      const ready = reasons.length === 0
      const uptimeMs = Math.round(performance.now() - startedAt)
      const headers = { [agentHeader]: agentId, ...trafficHeaders(traffic()) }
      return c.json({ ready, failing: reasons, uptimeMs }, ready ? 200 : 503, headers)
    })
}
