import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { Hono } from 'hono'
import type { Env } from '../../gateway/http/app.ts'
import { agentHeader } from '../../gateway/routes/health.ts'
import { type Traffic, trafficHeaders } from '../../gateway/traffic.ts'
import { openclawVersion } from '../version.ts'

/** The timeout of a probe. OpenClaw responds immediately, or is too busy to serve. */
const timeoutMs = 4000

/** The probes of spec.md, Health and heartbeat, from OpenClaw's own. They need no token. */
export function healthRoutes({
  agentId,
  port,
  isDraining,
  traffic,
}: {
  agentId: string
  port: number
  isDraining: () => boolean
  traffic: () => Traffic
}) {
  const startedAt = performance.now()
  const isLive = async (): Promise<boolean> => (await probe(port, '/healthz')) !== undefined
  return new Hono<Env>()
    .get('/healthz', async (c) => {
      const ok = await isLive()
      return c.json({ ok, status: 'live' }, ok ? 200 : 503)
    })
    .get('/health', async (c) => {
      const ok = await isLive()
      return c.json({ ok, status: 'live', version: openclawVersion }, ok ? 200 : 503)
    })
    .get('/readyz', async (c) => {
      const failing = isDraining() ? ['draining'] : readFailing(await probe(port, '/readyz'))
      const ready = failing.length === 0
      const uptimeMs = Math.round(performance.now() - startedAt)
      const headers = { [agentHeader]: agentId, ...trafficHeaders(traffic()) }
      return c.json({ ready, failing, uptimeMs }, ready ? 200 : 503, headers)
    })
}

/** Returns what OpenClaw reports as missing; `runtime` if it did not respond in time. */
function readFailing(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || !('ready' in body)) return ['runtime']
  if (body.ready === true) return []
  const failing = 'failing' in body && Array.isArray(body.failing) ? body.failing : []
  const names = failing.filter((name) => typeof name === 'string')
  return names.length === 0 ? ['runtime'] : names
}

/** Returns OpenClaw's response to a probe, with any status; undefined without a response. */
function probe(port: number, path: string): Promise<unknown> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const request = get({ host: '127.0.0.1', port, path, agent: false, signal })
    request.once('error', () => resolve(undefined))
    request.once('response', (response) => {
      json(response).then(resolve, () => resolve(undefined))
    })
  })
}
