import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'

export const installationModes = ['home', 'link', 'cloud'] as const

export type InstallationMode = (typeof installationModes)[number]

/**
 * Every installation, by when it was registered. One partition of an index takes 1,000 writes a second, which is as many
 * heartbeats: those of ten million installations that are heard of every three hours.
 */
export const installationsPartition = 'installations'

/** A user’s installation: what it is, and when it was last heard of. A user has one at most. */
export const installationRows = entity({
  name: 'installation',
  pk: 'user#{userId}',
  sk: 'installation',
  gsi1: { pk: 'installations', sk: '{registeredAt}#{userId}' },
  schema: () =>
    z.object({
      userId: z.string(),
      mode: z.enum(installationModes),
      /** ISO 8601, of the first registration. */
      registeredAt: z.string(),
      /** ISO 8601. */
      lastSeen: z.string(),
    }),
})

/** The token of an installation’s gateway, sealed: apart from what each heartbeat writes and the list reads. */
export const installationTokenRows = entity({
  name: 'installation’s gateway token',
  pk: 'user#{userId}',
  sk: 'gateway-token',
  schema: () => z.object({ sealed: z.string() }),
})
