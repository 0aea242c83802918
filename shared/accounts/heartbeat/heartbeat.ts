import type * as z from 'zod'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { installationRows } from '../installations/rows.ts'
import { heartbeatRows } from './rows.ts'
import { frequencies, type heartbeatChange, type Frequency } from './schema.ts'

/** The expected interval between heartbeats of a user's installation. */
interface Settings {
  frequency: Frequency
  enabled: boolean
}

export interface Heartbeat extends Settings {
  /** ISO 8601: the last heartbeat of the user's installation; null without an installation. */
  lastHeartbeat: string | null
  /** ISO 8601: the time of the next expected heartbeat. */
  nextHeartbeat: string | null
}

/** contract.md 10. */
const defaults: Settings = { frequency: '3h', enabled: true }

const settingsKey = heartbeatRows.sk({})
const installationKey = installationRows.sk({})

export async function readHeartbeat({
  table,
  owner,
}: Pick<UserContext, 'owner' | 'table'>): Promise<Heartbeat> {
  const store = userStore(table, owner)
  const [settings, installation] = await Promise.all([
    store.get(settingsKey),
    store.get(installationKey),
  ])
  return withTimes(toSettings(settings), installation)
}

/** Changes only the settings that the input contains. */
export async function changeHeartbeat(
  { table, owner }: Pick<UserContext, 'owner' | 'table'>,
  change: z.output<typeof heartbeatChange>,
): Promise<Heartbeat & { lastUpdated: string }> {
  const store = userStore(table, owner)
  const lastUpdated = new Date().toISOString()
  const changes = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  )
  const [settings, installation] = await Promise.all([
    store.update(settingsKey, { set: { ...changes, lastUpdated } }),
    store.get(installationKey),
  ])
  return { ...withTimes(toSettings(settings), installation), lastUpdated }
}

/** Resets the settings to their defaults. Safe to repeat. */
export async function resetHeartbeat({
  table,
  owner,
}: Pick<UserContext, 'owner' | 'table'>): Promise<void> {
  await userStore(table, owner).delete(settingsKey)
}

function toSettings(item: Item | undefined): Settings {
  const { frequency = defaults.frequency, enabled = defaults.enabled } =
    item === undefined ? {} : heartbeatRows.parse(item)
  return { frequency, enabled }
}

function withTimes(settings: Settings, installation: Item | undefined): Heartbeat {
  const lastHeartbeat =
    installation === undefined ? null : installationRows.parse(installation).lastSeen
  const everyMs = frequencies[settings.frequency] * 60_000
  const nextHeartbeat =
    settings.enabled && lastHeartbeat !== null ? isoOf(Date.parse(lastHeartbeat) + everyMs) : null
  return { ...settings, lastHeartbeat, nextHeartbeat }
}
