import { resolve } from 'node:path'
import { acquireLock } from './lock/lock.ts'
import { requirePrivateSecrets } from './secrets/secrets.ts'
import { readSettings, type StackSettings } from './settings/settings.ts'
import { tryEngines } from './settings/try-engines.ts'
import { tryPorts } from './surfaces/ports.ts'

/**
 * Checks everything that would stop a start before the slow steps begin: settings, the data directory and its lock,
 * permissions of the secrets, ports, and configured engines. Releases everything that it acquires; the start acquires
 * it again.
 * @param reset the start removes all state first, so the permissions of the secrets do not matter
 * @throws SettingsError, LockedError, UnusableDirError
 */
export async function preflight(
  root: string,
  environment: Record<string, string | undefined>,
  reset = false,
): Promise<StackSettings> {
  const settings = readSettings(environment)
  const dataDir = resolve(root, settings.dataDir)
  const lock = await acquireLock(dataDir)
  lock.release()
  if (!reset) await requirePrivateSecrets(dataDir)
  await tryPorts(settings.ports)
  await tryEngines(settings.engines)
  return settings
}
