import { sha256Hex } from '../platform/crypto.ts'
import type { Table } from '../platform/table/port.ts'
import { aiKeyKey } from './agent.ts'

const form = /^ak_[0-9a-f]{64}$/

/** The guard's way to find out which agent holds an AI key: one read. Keys are gone from the moment of a stop. */
export function agentKeyIdentity(table: Table) {
  return async (key: string): Promise<{ agentId: string; userId: string | null } | undefined> => {
    if (!form.test(key)) return undefined
    const row = await table.get(aiKeyKey(await sha256Hex(key)))
    return row && { agentId: String(row.agentId), userId: row.userId as string | null }
  }
}
