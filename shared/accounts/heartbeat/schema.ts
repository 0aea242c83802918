import * as z from 'zod'

/** The intervals of contract.md 10, in minutes. */
export const frequencies = {
  '30m': 30,
  '1h': 60,
  '2h': 120,
  '3h': 180,
  '6h': 360,
  '12h': 720,
  '24h': 1440,
} as const

export type Frequency = keyof typeof frequencies

export const frequencyNames = Object.keys(frequencies) as Frequency[]

const frequency = z.enum(frequencyNames, {
  error: `frequency must be one of ${frequencyNames.join(', ')}`,
})

export const heartbeatChange = z.object({
  frequency: frequency.optional(),
  enabled: z.boolean().optional(),
})

const times = {
  frequency,
  enabled: z.boolean(),
  lastHeartbeat: z.string().nullable().describe('When the user’s installation was last seen'),
  nextHeartbeat: z.string().nullable().describe('Null if disabled or before the first heartbeat'),
}

export const heartbeatShown = z.object({
  heartbeat: z.object(times).meta({ id: 'Heartbeat' }),
  message: z.string(),
})

export const heartbeatChanged = z.object({
  ...times,
  lastUpdated: z.string(),
  message: z.string(),
})

export const heartbeatReset = z.object({ success: z.literal(true), message: z.string() })
