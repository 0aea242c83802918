import type { Hex } from 'viem'
import { routes } from '../../functions/web/proofs.ts'
import type { ProofServices } from '../../functions/web/proofs.ts'
import { sessionIdentity } from '../../shared/accounts/identity.ts'
import { createApp } from '../../shared/http/app.ts'
import type { Table } from '../../shared/platform/table/port.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'

export interface Chains {
  /** Where agents are verified: a node, and which chain it says it is. */
  evm?: { url: string; id: number }
  /** Where clones are paid for. */
  tempo?: { url: string; token: Hex; payTo: Hex }
}

/** Calls the routes that need proofs, over a table and chains of the test's choice. */
export function proofCaller(table: Table, { evm, tempo }: Chains = {}) {
  const sent: unknown[] = []
  const app = createApp<ProofServices>({
    surface: 'web',
    name: 'web-proofs',
    routes,
    services: {
      table,
      queues: {
        send: async (_topic, body) => void sent.push(body),
        sendAll: async (_topic, bodies) => void sent.push(...bodies),
      },
      config: loadConfig({ WALLET_ENCRYPTION_KEY: 'a key that is long enough for the tests' }),
      chain: { id: evm?.id ?? 8453, rpc: { url: evm?.url, setting: 'EVM_RPC_URL' } },
      payee: {
        rpc: { url: tempo?.url, setting: 'TEMPO_RPC_URL' },
        token: tempo?.token,
        payTo: tempo?.payTo,
      },
    },
    settings: { WEB_URL: 'http://localhost:3000', RATE_LIMITS: 'off' },
    identity: { session: sessionIdentity(table, []) },
    table,
  })
  return {
    /** What was put into queues. */
    sent,
    async call(
      method: string,
      path: string,
      {
        body,
        session,
        headers,
      }: { body?: unknown; session?: string; headers?: Record<string, string> } = {},
    ) {
      const answer = await app.request(path, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(session !== undefined && { cookie: `service-session=${session}` }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
  }
}
