import type { Hex } from 'viem'
import * as group from '../../functions/web/proofs.ts'
import type { ProofServices } from '../../functions/web/proofs.ts'
import type { Table } from '../../shared/platform/table/port.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { testSigner } from './signer.ts'
import { callerOf, type UserCall } from './caller.ts'

export interface Chains {
  /** Where agents are verified: a node, and which chain it says it is. */
  evm?: { url: string; id: number }
  /** Where clones are paid for. */
  tempo?: { url: string; token: Hex; payTo: Hex }
}

/** Calls the routes that need proofs, over a table and chains of the test's choice. */
export function proofCaller(table: Table, { evm, tempo }: Chains = {}) {
  const sent: unknown[] = []
  const services: ProofServices = {
    table,
    queues: {
      send: async (_topic, body) => void sent.push(body),
      sendAll: async (_topic, bodies) => void sent.push(...bodies),
    },
    signer: testSigner(table)({ requestId: 'req_1', askedBy: 'public' }),
    config: loadConfig({
      AGENT_IMAGE: 'registry.example/agent:1.2.3',
      WALLET_ENCRYPTION_KEY: 'a key that is long enough for the tests',
    }),
    chain: { id: evm?.id ?? 8453, rpc: { url: evm?.url, setting: 'EVM_RPC_URL' } },
    payee: {
      rpc: { url: tempo?.url, setting: 'TEMPO_RPC_URL' },
      token: tempo?.token,
      payTo: tempo?.payTo,
    },
  }
  const call = callerOf(group, services)
  return {
    /** What was put into queues. */
    sent,
    async call(method: string, path: string, given: UserCall = {}) {
      const answer = await call(method, path, given)
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
  }
}
