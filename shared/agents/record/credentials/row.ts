import type * as z from 'zod'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Agent, ownerOf } from '../agent.ts'
import { credentialsRows } from '../rows.ts'

/** All credentials of an agent, by name. */
export type CredentialRow = z.output<ReturnType<(typeof credentialsRows)['declared']['schema']>>

/** Returns the context of an encrypted credential. A copy elsewhere cannot be decrypted. */
export function credentialPlace(agentId: string, name: string): string {
  return `credential#${agentId}#${name}`
}

export async function readCredentials(table: Table, agent: Agent): Promise<CredentialRow> {
  const store = userStore(table, ownerOf(agent))
  const row = await store.get(credentialsRows.sk({ agentId: agent.id }))
  return row === undefined ? { credentials: {}, revision: 0 } : credentialsRows.parse(row)
}
