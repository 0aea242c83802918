import type * as z from 'zod'
import { type Agent, type AgentRef, ownerOf } from '#shared/agents/record/agent.ts'
import type { Item, Key, Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { brokerCredentialRows } from './rows.ts'
import type { BrokerCredentialView } from './schema.ts'

/** All broker credentials of an agent, by name. */
export type BrokerCredentials = z.output<
  ReturnType<(typeof brokerCredentialRows)['declared']['schema']>
>['credentials']

export type BrokerCredential = BrokerCredentials[string]

/** Returns the key of an agent's credentials, to read them together with the agent's key. */
export function brokerCredentialsKey({ userId, agentId }: AgentRef): Key {
  return brokerCredentialRows.key({ userId: ownerOf({ userId }), agentId })
}

/** Parses the credentials of a row; without a row, there are no credentials. */
export function credentialsIn(row: Item | undefined): BrokerCredentials {
  return row === undefined ? {} : brokerCredentialRows.parse(row).credentials
}

/** Returns an agent's current credentials, encrypted. */
export async function readBrokerCredentials(
  table: Table,
  agent: Agent,
): Promise<BrokerCredentials> {
  const store = userStore(table, ownerOf(agent))
  return credentialsIn(await store.get(brokerCredentialRows.sk({ agentId: agent.id })))
}

/** Returns the public form of credentials, sorted by name. */
export function credentialViews(credentials: BrokerCredentials): BrokerCredentialView[] {
  return Object.entries(credentials)
    .map(([name, { hosts, createdAt }]) => ({ name, hosts, createdAt }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Returns the context that a value is encrypted for: it cannot be decrypted for another agent, name, header or host.
 */
export function valuePlace(
  agentId: string,
  name: string,
  { header, hosts }: Pick<BrokerCredential, 'header' | 'hosts'>,
): string {
  return `broker-credential#${agentId}#${JSON.stringify([name, header, hosts])}`
}
