import { Hono } from 'hono'
import type { Env } from '../http/app.ts'
import type { Counters } from '../stats.ts'

/** The gateway's own statistics; they need the token. */
export function statsRoutes(counters: Counters) {
  return new Hono<Env>().get('/stats', (c) => c.json(counters.read()))
}
