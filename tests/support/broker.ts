import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import * as backend from '../../functions/backend/broker.ts'
import * as web from '../../functions/web/broker.ts'
import { aiKeyKey } from '../../shared/agents/agent.ts'
import { agentAiKey, agentKeyIdentity } from '../../shared/agents/ai-key.ts'
import { brokerCredentialsKey } from '../../shared/broker/credentials.ts'
import { valueOpener } from '../../shared/broker/open-value.ts'
import { createApp } from '../../shared/http/app.ts'
import { sha256Hex } from '../../shared/platform/crypto.ts'
import type { Resolve } from '../../shared/platform/http-client/guarded.ts'
import type { Table } from '../../shared/platform/table/port.ts'
import { callerOf, type UserCall } from './caller.ts'
import { putAgent } from './chat.ts'

/** WALLET_ENCRYPTION_KEY. */
export const encryptionKey = 'an encryption key that is long enough'

/** Has this process trust a server, as NODE_EXTRA_CA_CERTS has one that is started with it. */
export function trust(cert: string): void {
  setDefaultCACertificates([...getCACertificates(), cert])
}

export interface BrokerOptions {
  /** FETCH_ALLOW_HOSTS. */
  allowed?: readonly string[]
  resolve?: Resolve
  idleMs?: number
}

/** Both functions' own routes over a table. */
export function brokerOver(table: Table, options: BrokerOptions = {}) {
  const { allowed = [], resolve, idleMs = 60_000 } = options
  const services = { table, encryptionKey, allowed, resolve, idleMs, open: valueOpener() }
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
    /** As an agent's container asks. @param path what follows `/broker` */
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
    /** As a user asks. @returns status and body */
    async call(method: string, path: string, options: UserCall = {}) {
      const answer = await call(method, `/api/agents/${path}`, options)
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
    /** Keeps a credential as a user does. */
    async keep(session: string, agentId: string, given: Record<string, unknown>) {
      const body = { name: 'api', header: 'authorization: Bearer {value}', ...given }
      const answer = await this.call('POST', `${agentId}/broker-credentials`, { session, body })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer))
    },
    /** What a user sees of an agent's uses. */
    async requests(session: string, agentId: string) {
      const { body } = await this.call('GET', `${agentId}/broker-requests`, { session })
      return body.requests as Record<string, unknown>[]
    },
  }
}

/** An agent of a user's, with the key of its container. */
export async function agentWithKey(table: Table, userId: string) {
  const { id: agentId } = await putAgent(table, userId)
  const key = await agentAiKey(encryptionKey, { id: agentId, userId }, 1)
  const row = aiKeyKey(await sha256Hex(key))
  await table.put({ ...row, agentId, userId, generation: 1 })
  return { agentId, key, revoke: () => table.delete(row) }
}
