import { notConfigured, notFound, PlatformError } from '../../platform/errors.ts'
import { sealer } from '../../platform/seal.ts'
import { withoutConflicts } from '../../platform/table/conflict.ts'
import { type Table, TransactionFailed } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { type Agent, agentSortKey, ownerOf } from '../agent.ts'
import {
  credentialPlace,
  type CredentialRow,
  credentialsKey,
  readCredentials,
  type StoredCredential,
} from './row.ts'

/**
 * What an agent's credentials may take of its environment, in characters as JSON. ECS takes 8,192 for a whole start:
 * https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_TaskOverride.html. The platform's own variables, an
 * agent's prompt and its channel tokens need the rest.
 */
export const mostCharacters = 2048

interface CredentialContext {
  table: Table
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
}

/**
 * Keeps a credential of a user's for their agent, sealed; null removes it. The container has it from its next start on.
 * @throws PlatformError 400 CREDENTIALS_FULL with limit, 404 where the agent is gone, 503 without a key to seal it
 */
export async function setCredential(
  { table, encryptionKey }: CredentialContext,
  agent: Agent,
  { key, value }: { key: string; value: string | null },
): Promise<void> {
  if (encryptionKey === undefined)
    throw notConfigured('Keeping credentials', ['WALLET_ENCRYPTION_KEY'])
  const stored: StoredCredential | undefined =
    value === null
      ? undefined
      : {
          sealed: await sealer(encryptionKey).seal(value, credentialPlace(agent.id, key)),
          size: credentialSize(key, value),
          updatedAt: new Date().toISOString(),
        }
  for (;;) {
    const before = await readCredentials(table, agent)
    const credentials = changed(before, key, stored)
    if (await write(table, agent, before, credentials)) return
  }
}

function changed(
  before: CredentialRow,
  key: string,
  stored: StoredCredential | undefined,
): CredentialRow['credentials'] {
  const { [key]: _, ...others } = before.credentials
  if (stored === undefined) return others
  const size = Object.values(others).reduce((sum, one) => sum + one.size, stored.size)
  if (size > mostCharacters)
    throw new PlatformError(
      'bad-request',
      `An agent’s credentials may take ${mostCharacters} characters together`,
      { code: 'CREDENTIALS_FULL', details: { limit: mostCharacters } },
    )
  return { ...others, [key]: stored }
}

/** @returns false where somebody else was faster */
async function write(
  table: Table,
  agent: Agent,
  { revision }: CredentialRow,
  credentials: CredentialRow['credentials'],
): Promise<boolean> {
  const store = userStore(table, ownerOf(agent))
  const row = { credentials, revision: revision + 1 }
  const condition =
    revision === 0
      ? { if: 'attribute_not_exists(pk)' }
      : { if: '#revision = :revision', values: { revision } }
  const alive = { if: 'attribute_exists(pk) AND attribute_not_exists(#deleting)' }
  try {
    await withoutConflicts(() =>
      table.transact([
        store.write.check(agentSortKey(agent.id), alive),
        store.write.put(credentialsKey(agent.id), row, condition),
      ]),
    )
    return true
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    if (error.refused(0)) throw notFound('Agent')
    if (error.refused(1)) return false
    throw error
  }
}

/** As RunTask's overrides carry it. */
function credentialSize(name: string, value: string): number {
  return JSON.stringify({ name, value }).length + 1
}
