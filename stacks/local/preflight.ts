import { resolve } from 'node:path'
import { takeLock } from './lock/lock.ts'
import { requirePrivateSecrets } from './secrets/secrets.ts'
import { readSettings, type StackSettings } from './settings/settings.ts'
import { tryEngines } from './settings/try-engines.ts'
import { tryPorts } from './surfaces/ports.ts'

/**
 * Looks for what would stop a start, before anything slow begins: wrong settings, a data directory that another start
 * works in or that cannot be written to, secrets that others can read, ports in use, engines of one's own that do not answer.
 * What it tries it lets go of; the start itself takes it for good.
 * @param reset the start removes all state first, secrets that others can read included
 * @throws SettingsError, LockedError, UnusableDirError
 */
export async function preflight(
  root: string,
  environment: Record<string, string | undefined>,
  reset = false,
): Promise<StackSettings> {
  const settings = readSettings(environment)
  const dataDir = resolve(root, settings.dataDir)
  const lock = await takeLock(dataDir)
  lock.release()
  if (!reset) await requirePrivateSecrets(dataDir)
  await tryPorts(settings.ports)
  await tryEngines(settings.engines)
  return settings
}
