import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

export const installationModes = ['home', 'link', 'cloud'] as const

export type InstallationMode = (typeof installationModes)[number]

/**
 * The partition of all installations, by time of registration. A partition of an index takes 1,000 writes a second,
 * as many as the heartbeats of ten million installations at an interval of three hours.
 */
export const installationsPartition = 'installations'

/** A user’s installation, with its last heartbeat. A user has at most one. */
export const installationRows = entity({
  name: 'installation',
  pk: 'user#{userId}',
  sk: 'installation',
  gsi1: { pk: 'installations', sk: '{registeredAt}#{userId}' },
  schema: () =>
    z.object({
      userId: z.string(),
      mode: z.enum(installationModes),
      /** ISO 8601: the first registration. */
      registeredAt: z.string(),
      /** ISO 8601. */
      lastSeen: z.string(),
    }),
})

/** The sealed token of an installation’s gateway: separate from the row that heartbeats write and lists read. */
export const installationTokenRows = entity({
  name: 'installation’s gateway token',
  pk: 'user#{userId}',
  sk: 'gateway-token',
  schema: () => z.object({ sealed: z.string() }),
})
