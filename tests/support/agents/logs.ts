import { afterAll, beforeAll, beforeEach } from 'vitest'
import { routes } from '#functions/backend/logs.ts'
import type { StreamsLogs } from '#functions/common/logs/services.ts'
import * as web from '#functions/web/logs.ts'
import { startSession } from '#shared/accounts/users/session.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { createApp } from '#shared/http/app.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { cloudwatchLogs } from '#shared/platform/logs/cloudwatch.ts'
import { callerOf, type UserCall } from '../http/caller.ts'
import { type Fleet, startFleet } from './fleet.ts'

const key = 'the-internal-key'

/** Provides the log routes over a fleet, for a file of tests. */
export function useLogs() {
  let fleet: Fleet
  let app: { request(path: string, init: RequestInit): Response | Promise<Response> }
  let callWeb: ReturnType<typeof callerOf<Pick<Context, 'table'> & Can<'logs'> & StreamsLogs>>
  beforeAll(async () => {
    fleet = await startFleet()
    const services: Pick<Context, 'table'> & Can<'logs'> & StreamsLogs = {
      table: fleet.table,
      logs: cloudwatchLogs({ logGroup: 'agents', endpoint: fleet.endpoint }),
      key,
      pace: { settle: 200, longestWait: 50 },
      lastsMs: 600_000,
    }
    callWeb = callerOf(web, services)
    app = createApp<Pick<Context, 'table'> & Can<'logs'> & StreamsLogs>({
      surface: 'backend',
      name: 'backend-logs',
      routes,
      services,
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
    /** Calls a route of the web surface. */
    web: (path: string, given: UserCall = {}): Promise<Response> => callWeb('GET', path, given),
    /** Creates a session of an agent's owner. */
    sessionOf: ({ userId }: Agent): Promise<string> =>
      startSession({ table: fleet.table }, { userId: String(userId) }),
    /** Makes the agent's process print a text. */
    print: async (agent: Agent, text: string, out: 'text' | 'error' = 'text'): Promise<void> => {
      const { address } = await fleet.row(agent)
      await fetch(`http://127.0.0.1:${address?.port}/print?${out}=${encodeURIComponent(text)}`)
    },
    running: async () => fleet.untilRunning(await fleet.started()),
  }
}
