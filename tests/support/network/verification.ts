import type { Hex } from 'viem'
import * as group from '#functions/web/verification.ts'
import type { Services as VerificationGroupServices } from '#functions/web/verification.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { testSigner } from '../chains/signer.ts'
import { callerOf, type UserCall } from '../http/caller.ts'

export interface Chains {
  /** The node that verifies agents, and the chain id that it reports. */
  evm?: { url: string; id: number }
  /** The chain that receives payments for clones. */
  tempo?: { url: string; token: Hex; payTo: Hex }
  /** A deployed platform limits awake agents. Default: false. */
  deployed?: boolean
}

/** Calls the routes that verify agents and payments for clones, over a table and the test's chains. */
export function verificationCaller(table: Table, { evm, tempo, deployed = false }: Chains = {}) {
  const sent: unknown[] = []
  const services: VerificationGroupServices = {
    table,
    queues: {
      send: async (_topic, body) => void sent.push(body),
      sendAll: async (_topic, bodies) => void sent.push(...bodies),
    },
    signer: testSigner(table)({ requestId: 'req_1', askedBy: 'public' }),
    config: {
      ...loadConfig({
        AGENT_IMAGE: 'registry.example/agent:1.2.3',
        WALLET_ENCRYPTION_KEY: 'a key that is long enough for the tests',
      }),
      deployed,
    },
    chain: { id: evm?.id ?? 8453, rpc: { url: evm?.url, setting: 'EVM_RPC_URL' } },
    payee: {
      rpc: { url: tempo?.url, setting: 'TEMPO_RPC_URL' },
      token: tempo?.token,
      payTo: tempo?.payTo,
    },
  }
  const call = callerOf(group, services)
  return {
    /** The messages that were sent to queues. */
    sent,
    async call(method: string, path: string, given: UserCall = {}) {
      const answer = await call(method, path, given)
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
  }
}
