import { routes } from '#functions/backend/agents.ts'
import { newUser as accountOf } from '#shared/accounts/users/user.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { createApp } from '#shared/http/app.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Fleet, startFleet } from './fleet.ts'

export interface Call {
  /** x-user-id */
  user?: string | null
  body?: unknown
  headers?: Record<string, string>
  /** Sets KILL_SWITCH. */
  killed?: boolean
}

/** Starts the backend's agent routes over a fleet of their own, called with the platform's key. */
export async function startBackend() {
  const fleet: Fleet = await startFleet()
  let users = 0

  async function call(method: string, path: string, { user, body, headers, killed }: Call = {}) {
    const { services } = fleet
    const config = { ...services.config, KILL_SWITCH: killed === true }
    const app = createApp({
      surface: 'backend',
      name: 'backend-agents',
      routes,
      services: { ...services, queues: fleet.queues, config },
      settings: { RATE_LIMITS: 'off', INTERNAL_API_KEY: 'internal-key' },
      table: fleet.table,
    })
    const answer = await app.request(path, {
      method,
      headers: {
        authorization: 'Bearer internal-key',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(user && { 'x-user-id': user }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  /** Returns an id without an account. */
  const newUser = () => `usr_${++users}x`

  return {
    fleet,
    call,
    newUser,

    /** Creates a user with an account and a plan. */
    async subscriber(plan: string, email?: string): Promise<string> {
      const id = newUser()
      await userStore(fleet.table, id).put('profile', {
        ...accountOf({
          id,
          email: email ?? `${id}@b.co`,
          emailVerified: true,
          name: id,
          plan,
          subscription: { id: null, status: 'active', customerId: null },
          referralCode: id,
        }),
      })
      return id
    },

    /** @param user null for an agent without an owner */
    async made(user: string | null, body: object = { name: 'Ada' }): Promise<Agent> {
      const answer = await call('POST', '/api/agents', { user, body })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return fleet.row({ id: String(answer.body.id), userId: user })
    },
  }
}

export type Backend = Awaited<ReturnType<typeof startBackend>>
