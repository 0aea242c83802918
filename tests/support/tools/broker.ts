import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import * as backend from '#functions/backend/broker.ts'
import * as web from '#functions/web/broker.ts'
import { aiKeyKey } from '#shared/agents/record/agent.ts'
import { agentAiKey, agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { createApp } from '#shared/http/app.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Resolve } from '#shared/platform/http-client/guarded.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { brokerCredentialsKey } from '#shared/tools/broker/credentials.ts'
import { valueOpener } from '#shared/tools/broker/open-value.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { callerOf, type UserCall } from '../http/caller.ts'
import { lostQueues } from '../platform/context.ts'

export const encryptionKey = 'an encryption key that is long enough'

/** Makes this process trust a server's certificate, as NODE_EXTRA_CA_CERTS does for a new process. */
export function trust(cert: string): void {
  setDefaultCACertificates([...getCACertificates(), cert])
}

export interface BrokerOptions {
  allowed?: readonly string[]
  resolve?: Resolve
  idleMs?: number
  queues?: Queues
}

/** Starts the broker's routes of both surfaces over a table. */
export function brokerOver(table: Table, options: BrokerOptions = {}) {
  const { allowed = [], resolve, idleMs = 60_000, queues = lostQueues } = options
  const open = valueOpener()
  const services = { table, queues, encryptionKey, allowed, resolve, idleMs, open }
  const app = createApp({
    surface: 'backend',
    name: 'backend-broker',
    routes: backend.routes,
    services,
    settings: {},
    identity: { agentKey: agentKeyIdentity(table, brokerCredentialsKey) },
    table,
  })
  const call = callerOf(web, services)
  return {
    /**
     * Sends a request as an agent's container.
     * @param path the part after `/broker`
     */
    async ask(
      key: string,
      path: string,
      { ip, ...init }: RequestInit & { ip?: string } = {},
    ): Promise<Response> {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${key}`)
      const from = ip === undefined ? undefined : { requestContext: { http: { sourceIp: ip } } }
      return app.request(`/broker${path}`, { ...init, headers }, from)
    },
    /**
     * Sends a request as a user.
     * @returns status and body
     */
    async call(method: string, path: string, options: UserCall = {}) {
      const answer = await call(method, `/api/agents/${path}`, options)
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
    /** Stores a credential as a user. */
    async keep(session: string, agentId: string, given: Record<string, unknown>) {
      const body = { name: 'api', header: 'authorization: Bearer {value}', ...given }
      const answer = await this.call('POST', `${agentId}/broker-credentials`, { session, body })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer))
    },
    /** Returns an agent's broker requests as its owner sees them. */
    async requests(session: string, agentId: string) {
      const { body } = await this.call('GET', `${agentId}/broker-requests`, { session })
      return body.requests as Record<string, unknown>[]
    },
  }
}

/** Creates an agent of a user, with the key of its container. */
export async function agentWithKey(table: Table, userId: string) {
  const { id: agentId } = await putAgent(table, userId)
  const key = await agentAiKey(encryptionKey, { id: agentId, userId }, 1)
  const row = aiKeyKey(await sha256Hex(key))
  await table.put({ ...row, agentId, userId, generation: 1 })
  return { agentId, key, revoke: () => table.delete(row) }
}
