import { routes as lifecycleRoutes } from '#functions/web/agent-lifecycle.ts'
import { routes as agentRoutes } from '#functions/web/agents.ts'
import { newUser } from '#shared/accounts/users/user.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentSetting } from '#shared/agents/record/context.ts'
import { createApp } from '#shared/http/app.ts'
import type { Route } from '#shared/http/route.ts'
import type { UserIdentity } from '#shared/platform/identity/actor.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { AgentConfigChange } from '../../../clients/typescript/index.ts'
import { platformOver } from '../http/platform-over.ts'
import { type Fleet, startFleet } from './fleet.ts'

export interface WebCall {
  /** The user of the session. */
  user?: string
  body?: unknown
  headers?: Record<string, string>
  /** Changed settings, such as KILL_SWITCH. */
  settings?: Partial<Reads<AgentSetting>['config']>
}

/**
 * Starts the web surface's agent and instance routes over a fleet of their own.
 * @param more the routes of other groups, which use the same table
 */
export async function startWebAgents(more: readonly Route<never>[] = []) {
  const fleet: Fleet = await startFleet()
  const people = new Map<string, UserIdentity>()

  async function send(method: string, path: string, given: WebCall & { text?: string } = {}) {
    const { user, body, headers, settings, ...rest } = given
    const text = body === undefined ? rest.text : JSON.stringify(body)
    const { services } = fleet
    const app = createApp({
      surface: 'web',
      name: 'web-agents',
      routes: [...agentRoutes, ...lifecycleRoutes, ...more],
      services: { ...services, config: { ...services.config, ...settings } } as never,
      settings: { RATE_LIMITS: 'off', WEB_URL: 'http://localhost:3000' },
      identity: { session: async (token) => people.get(token) },
      table: fleet.table,
    })
    return app.request(path, {
      method,
      headers: {
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...(user !== undefined && { cookie: `service-session=${user}` }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    })
  }

  /** Returns the web surface's client for a user. */
  const platformOf = (user: string) =>
    platformOver((method, path, given) => send(method, path, { ...given, user }))

  async function call(method: string, path: string, given: WebCall = {}) {
    const answer = await send(method, path, given)
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  return {
    fleet,
    call,
    platformOf,

    /** Creates a user with a session, whose token is the user's id. */
    async person(
      plan = 'solo',
      { status = 'active', isAdmin = false }: { status?: string; isAdmin?: boolean } = {},
    ): Promise<string> {
      const id = `usr_web${people.size}`
      const email = isAdmin ? 'admin@b.co' : `${id}@b.co`
      const user = { id, email, name: id, emailVerified: true, accessEpoch: 0, isAdmin, plan }
      const subscription = { id: null, status }
      people.set(id, { ...user, subscription })
      await userStore(fleet.table, id).put('profile', {
        ...newUser({
          id,
          email,
          name: id,
          emailVerified: true,
          plan,
          referralCode: id,
        }),
        subscription: { ...subscription, customerId: null },
      })
      return id
    },

    /** Provisions an agent of a user, without delivering any message. */
    async provisioned(user: string, config: AgentConfigChange = {}): Promise<Agent> {
      const { id } = await platformOf(user).agents.create({ name: 'Ada', config })
      return fleet.row({ id, userId: user })
    },
  }
}

export type WebAgents = Awaited<ReturnType<typeof startWebAgents>>
