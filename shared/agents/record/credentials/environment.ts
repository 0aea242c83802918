import { StartRefused } from '#shared/platform/containers/port.ts'
import { sealer } from '#shared/platform/seal.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { Agent } from '../agent.ts'
import { isCredentialName } from './names.ts'
import { credentialPlace, readCredentials } from './row.ts'

/**
 * Returns the credentials of an agent as its container's environment.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 * @throws StartRefused if a credential cannot be decrypted
 */
export async function credentialEnvironment(
  { table }: { table: Table },
  { encryptionKey, agent }: { encryptionKey: string; agent: Agent },
): Promise<Record<string, string>> {
  const { credentials } = await readCredentials(table, agent)
  const environment: Record<string, string> = {}
  for (const [name, { sealed }] of Object.entries(credentials)) {
    // A later release can reserve a name that was free before.
    if (!isCredentialName(name)) continue
    const value = await sealer(encryptionKey).open(sealed, credentialPlace(agent.id, name))
    if (value === undefined)
      throw new StartRefused(`${name} can no longer be decrypted: set it again`)
    environment[name] = value
  }
  return environment
}
