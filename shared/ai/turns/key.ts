import * as z from 'zod'
import type { Actor, PlatformActor, ProviderActor } from '#shared/platform/identity/actor.ts'

/** The attributes of a row with the API key that turns are counted for. */
export const turnKey = () => ({
  /** The user's API key and its name at that time; absent without a key. */
  key: z.object({ keyId: z.string(), keyName: z.string().nullable() }).optional(),
  /** The spend limits of that key at that time, in USD; absent without such limits. */
  keyLimits: z
    .object({ usdPerDay: z.number().optional(), usdPerMonth: z.number().optional() })
    .optional(),
})

/** The API key that a turn is counted for, with its spend limits. */
export type TurnKey = z.output<z.ZodObject<ReturnType<typeof turnKey>>>

/** The author of a turn; absent if no caller waits. */
export interface TurnAuthor {
  actor?: Actor | PlatformActor | ProviderActor | undefined
}

/** Returns the API key of a request; empty without a key. */
export function turnKeyOf({ actor }: TurnAuthor): TurnKey {
  if (actor?.type !== 'user' || actor.user.keyId === undefined) return {}
  const { keyId, keyName = null, keyLimits = {} } = actor.user
  const { usdPerDay, usdPerMonth } = keyLimits
  const limits = {
    ...(usdPerDay !== undefined && { usdPerDay }),
    ...(usdPerMonth !== undefined && { usdPerMonth }),
  }
  return {
    key: { keyId, keyName },
    ...(Object.keys(limits).length > 0 && { keyLimits: limits }),
  }
}

/** Returns the API key of a request if it has spend limits, for turns that start later. */
export function limitedTurnKeyOf(author: TurnAuthor): TurnKey {
  const key = turnKeyOf(author)
  return key.keyLimits === undefined ? {} : key
}
