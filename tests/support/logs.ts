import { afterAll, beforeAll, beforeEach } from 'vitest'
import { routes } from '../../functions/backend/logs.ts'
import type { LogServices } from '../../functions/backend/logs.ts'
import type { Agent } from '../../shared/agents/agent.ts'
import { createApp } from '../../shared/http/app.ts'
import { cloudwatchLogs } from '../../shared/platform/logs/cloudwatch.ts'
import { type Fleet, startFleet } from './fleet.ts'

const key = 'the-internal-key'

/** The log routes over a fleet of a file's own. */
export function useLogs() {
  let fleet: Fleet
  let app: { request(path: string, init: RequestInit): Response | Promise<Response> }
  beforeAll(async () => {
    fleet = await startFleet()
    app = createApp<LogServices>({
      surface: 'backend',
      name: 'backend-logs',
      routes,
      services: {
        table: fleet.table,
        logs: cloudwatchLogs({ logGroup: 'agents', endpoint: fleet.endpoint }),
        key,
        pace: { settle: 200, longestWait: 50 },
        lastsMs: 600_000,
      },
      settings: { INTERNAL_API_KEY: key, RATE_LIMITS: 'off' },
      table: fleet.table,
    })
  })
  afterAll(() => fleet.close())
  beforeEach(() => fleet.forget())
  return {
    get fleet(): Fleet {
      return fleet
    },
    /** Calls a route with the internal key. */
    ask: async (path: string, init: RequestInit = {}): Promise<Response> =>
      app.request(path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } }),
    /** Has the agent's process print something. */
    print: async (agent: Agent, text: string, out: 'text' | 'error' = 'text'): Promise<void> => {
      const { address } = await fleet.row(agent)
      await fetch(`http://127.0.0.1:${address?.port}/print?${out}=${encodeURIComponent(text)}`)
    },
    running: async () => fleet.untilRunning(await fleet.started()),
  }
}
