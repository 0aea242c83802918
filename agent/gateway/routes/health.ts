import { Hono } from 'hono'
import agentPackage from '../../package.json' with { type: 'json' }
import type { Env } from '../http/app.ts'

/** What `/readyz` says its agent is in: an address may be given to another container before the platform hears of it. */
export const agentHeader = 'agent-id'

/** The probes of spec.md, Health and heartbeat; they answer without a token. */
export function healthRoutes(agentId: string, failing: () => Promise<string[]>) {
  const startedAt = performance.now()
  const live = { ok: true, status: 'live' }
  return new Hono<Env>()
    .get('/healthz', (c) => c.json(live))
    .get('/health', (c) => c.json({ ...live, version: agentPackage.version }))
    .get('/readyz', async (c) => {
      const reasons = await failing()
      const ready = reasons.length === 0
      const uptimeMs = Math.round(performance.now() - startedAt)
      c.header(agentHeader, agentId)
      return c.json({ ready, failing: reasons, uptimeMs }, ready ? 200 : 503)
    })
}
