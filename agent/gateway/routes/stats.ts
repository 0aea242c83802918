import type { Counters } from '../figures.ts'
import { sendJson } from '../http/exchange.ts'
import type { Route } from '../http/router.ts'

/** What the gateway knows of itself, for the holder of its token. */
export function statsRoutes(counters: Counters): Route[] {
  return [
    {
      method: 'GET',
      path: '/stats',
      handle: async (exchange) => sendJson(exchange, 200, counters.read()),
    },
  ]
}
