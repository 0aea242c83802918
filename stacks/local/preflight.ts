import { resolve } from 'node:path'
import { takeLock } from './lock/lock.ts'
import { readSettings, type StackSettings } from './settings/settings.ts'
import { tryEngines } from './settings/try-engines.ts'
import { tryPorts } from './surfaces/ports.ts'

/**
 * Looks for what would stop a start, before anything slow begins: wrong settings, a data directory that another start
 * works in or nobody can write to, ports in use, engines of one's own that do not answer. What it tries it lets go
 * of; the start itself takes it for good.
 * @throws SettingsError, LockedError, UnusableDirError
 */
export async function preflight(
  root: string,
  environment: Record<string, string | undefined>,
): Promise<StackSettings> {
  const settings = readSettings(environment)
  const lock = await takeLock(resolve(root, settings.dataDir))
  lock.release()
  await tryPorts(settings.ports)
  await tryEngines(settings.engines)
  return settings
}
