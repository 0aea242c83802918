import { Hono } from 'hono'
import type { Env } from '../http/app.ts'
import type { Counters } from '../stats.ts'

/** What the gateway knows of itself, for the holder of its token. */
export function statsRoutes(counters: Counters) {
  return new Hono<Env>().get('/stats', (c) => c.json(counters.read()))
}
