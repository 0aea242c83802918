import { notConfigured, notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { sealer } from '#shared/platform/seal.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Agent, agentAlive, agentSortKey, ownerOf } from '../agent.ts'
import { credentialsRows } from '../rows.ts'
import { credentialPlace, type CredentialRow } from './row.ts'

/** The maximum size of an agent's credentials together, in characters as JSON. */
export const maxCharacters = 2048

type Credentials = CredentialRow['credentials']

/**
 * Sets a credential of an agent, encrypted; null removes it. The container has it from its next start.
 * @throws PlatformError 400 CREDENTIALS_FULL with limit, 404 if the agent is deleted, 503 without an encryption key
 */
export async function setCredential(
  ctx: Pick<Context, 'table'> & Can<'encryptionKey'>,
  { agent, key, value }: { agent: Agent; key: string; value: string | null },
): Promise<void> {
  const { table, encryptionKey } = ctx
  if (encryptionKey === undefined)
    throw notConfigured('Storing credentials', ['WALLET_ENCRYPTION_KEY'])
  const stored: Credentials[string] | undefined =
    value === null
      ? undefined
      : {
          sealed: await sealer(encryptionKey).seal(value, credentialPlace(agent.id, key)),
          size: credentialSize(key, value),
          updatedAt: new Date().toISOString(),
        }
  const store = userStore(table, ownerOf(agent))
  await changeItem(
    store.row(credentialsRows.sk({ agentId: agent.id })),
    (item) => {
      const before = item === undefined ? undefined : credentialsRows.parse(item)
      const credentials = changed(before?.credentials ?? {}, key, stored)
      return {
        put: credentialsRows.attributes({ credentials, revision: (before?.revision ?? 0) + 1 }),
        condition:
          before === undefined
            ? absent()
            : { if: '#revision = :revision', values: { revision: before.revision } },
        also: { agent: store.write.check(agentSortKey(agent.id), agentAlive) },
      }
    },
    { errors: { agent: () => notFound('Agent') } },
  )
}

function changed(
  before: Credentials,
  key: string,
  stored: Credentials[string] | undefined,
): Credentials {
  const { [key]: _, ...others } = before
  if (stored === undefined) return others
  const size = Object.values(others).reduce((sum, one) => sum + one.size, stored.size)
  if (size > maxCharacters)
    throw new PlatformError(
      'bad-request',
      `The credentials of an agent can have at most ${maxCharacters} characters in total`,
      { code: 'CREDENTIALS_FULL', details: { limit: maxCharacters } },
    )
  return { ...others, [key]: stored }
}

/** Returns the size as an entry of a JSON list. */
function credentialSize(name: string, value: string): number {
  return JSON.stringify({ name, value }).length + 1
}
