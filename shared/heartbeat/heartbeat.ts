import type * as z from 'zod'
import type { Item, Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { frequencies, type heartbeatChange, type Frequency } from './schema.ts'

/** How often a user wants their installation to be heard of. */
interface Settings {
  frequency: Frequency
  enabled: boolean
}

export interface Heartbeat extends Settings {
  /** ISO 8601: when the user's installation was last seen; null for who has none. */
  lastHeartbeat: string | null
  /** When it is to be heard of again. */
  nextHeartbeat: string | null
}

/** contract.md 10. */
const defaults: Settings = { frequency: '3h', enabled: true }

const settingsKey = 'heartbeat'
/** The row of the user's installation, which its registration and its heartbeats write. */
const installationKey = 'installation'

export async function readHeartbeat(table: Table, userId: string): Promise<Heartbeat> {
  const store = userStore(table, userId)
  const [settings, installation] = await Promise.all([
    store.get(settingsKey),
    store.get(installationKey),
  ])
  return withTimes(toSettings(settings), installation)
}

/** Changes what is given, and keeps the rest. */
export async function changeHeartbeat(
  table: Table,
  userId: string,
  change: z.output<typeof heartbeatChange>,
  now = new Date(),
): Promise<Heartbeat & { lastUpdated: string }> {
  const store = userStore(table, userId)
  const lastUpdated = now.toISOString()
  const given = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  )
  const [settings, installation] = await Promise.all([
    store.update(settingsKey, { set: { ...given, lastUpdated } }),
    store.get(installationKey),
  ])
  return { ...withTimes(toSettings(settings), installation), lastUpdated }
}

/** Back to the defaults, as often as it is asked. */
export async function resetHeartbeat(table: Table, userId: string): Promise<void> {
  await userStore(table, userId).delete(settingsKey)
}

function toSettings(item: Item | undefined): Settings {
  const { frequency, enabled } = { ...defaults, ...item } as Settings
  return { frequency, enabled }
}

function withTimes(settings: Settings, installation: Item | undefined): Heartbeat {
  const lastHeartbeat = installation === undefined ? null : String(installation.lastSeen)
  const everyMs = frequencies[settings.frequency] * 60_000
  const nextHeartbeat =
    settings.enabled && lastHeartbeat !== null
      ? new Date(Date.parse(lastHeartbeat) + everyMs).toISOString()
      : null
  return { ...settings, lastHeartbeat, nextHeartbeat }
}
