import type { Table } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { type Agent, ownerOf } from '../agent.ts'

/** One credential as it is kept. */
export interface StoredCredential {
  sealed: string
  /** What it takes of a start's environment: credentialSize. */
  size: number
  updatedAt: string
}

/** All credentials of an agent, in one row: they are bounded together, and a start needs all of them. */
export interface CredentialRow {
  credentials: Readonly<Record<string, StoredCredential>>
  revision: number
}

export function credentialsKey(agentId: string): string {
  return `credentials#${agentId}`
}

/** Where a credential is sealed for: one that is copied elsewhere does not open there. */
export function credentialPlace(agentId: string, name: string): string {
  return `credential#${agentId}#${name}`
}

export async function readCredentials(table: Table, agent: Agent): Promise<CredentialRow> {
  const row = await userStore(table, ownerOf(agent)).get(credentialsKey(agent.id))
  return row === undefined ? { credentials: {}, revision: 0 } : (row as unknown as CredentialRow)
}
