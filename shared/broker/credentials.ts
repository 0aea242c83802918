import type * as z from 'zod'
import { type Agent, type AgentRef, ownerOf } from '../agents/agent.ts'
import type { Item, Key, Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { brokerCredentialRows } from './rows.ts'
import type { BrokerCredentialView } from './schema.ts'

/** All broker credentials of an agent, by name. */
export type BrokerCredentials = z.output<
  ReturnType<(typeof brokerCredentialRows)['declared']['schema']>
>['credentials']

export type BrokerCredential = BrokerCredentials[string]

/** Where an agent's credentials are, for who reads them together with its key. */
export function brokerCredentialsKey({ userId, agentId }: AgentRef): Key {
  return brokerCredentialRows.key({ userId: ownerOf({ userId }), agentId })
}

/** The credentials in such a row; none where there is no row. */
export function credentialsIn(row: Item | undefined): BrokerCredentials {
  return row === undefined ? {} : brokerCredentialRows.parse(row).credentials
}

/** An agent's credentials as they are now, sealed. */
export async function readBrokerCredentials(
  table: Table,
  agent: Agent,
): Promise<BrokerCredentials> {
  const store = userStore(table, ownerOf(agent))
  return credentialsIn(await store.get(brokerCredentialRows.sk({ agentId: agent.id })))
}

/** What may be seen of them, by name. */
export function credentialViews(credentials: BrokerCredentials): BrokerCredentialView[] {
  return Object.entries(credentials)
    .map(([name, { hosts, createdAt }]) => ({ name, hosts, createdAt }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** What a value is sealed for: it opens for no other agent, name, header or host than it was given with. */
export function valuePlace(
  agentId: string,
  name: string,
  { header, hosts }: Pick<BrokerCredential, 'header' | 'hosts'>,
): string {
  return `broker-credential#${agentId}#${JSON.stringify([name, header, hosts])}`
}
