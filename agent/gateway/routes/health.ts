import manifest from '../../../package.json' with { type: 'json' }
import { sendJson } from '../http/exchange.ts'
import type { Route } from '../http/router.ts'

/** The probes of spec.md, Health and heartbeat; they answer without a token. */
export function healthRoutes(failing: () => Promise<string[]>): Route[] {
  const startedAt = performance.now()
  const live = { ok: true, status: 'live' }
  return [
    {
      method: 'GET',
      path: '/healthz',
      open: true,
      handle: async (exchange) => sendJson(exchange, 200, live),
    },
    {
      method: 'GET',
      path: '/health',
      open: true,
      handle: async (exchange) => sendJson(exchange, 200, { ...live, version: manifest.version }),
    },
    {
      method: 'GET',
      path: '/readyz',
      open: true,
      handle: async (exchange) => {
        const reasons = await failing()
        const ready = reasons.length === 0
        const uptimeMs = Math.round(performance.now() - startedAt)
        sendJson(exchange, ready ? 200 : 503, { ready, failing: reasons, uptimeMs })
      },
    },
  ]
}
