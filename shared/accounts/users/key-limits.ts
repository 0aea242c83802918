import * as z from 'zod'
import { raisesCap } from '#shared/money/amounts/cap.ts'
import type { KeyLimits } from '#shared/platform/identity/actor.ts'
import { routingForm } from '#shared/platform/model-routing.ts'

/** The limits of a key in its row. */
export const keyLimitAttributes = () =>
  z.object({
    models: z.array(z.string()).optional(),
    requestsPerMinute: z.number().optional(),
    /** USD per day and per calendar month, UTC. */
    usdPerDay: z.number().optional(),
    usdPerMonth: z.number().optional(),
    // Fields of a later release are left out.
    routing: z.object(routingForm().shape).optional(),
  })

/** A change of a key's limits. An absent field stays unchanged; null removes it. */
export type KeyLimitsChange =
  | { [Name in keyof KeyLimits]?: KeyLimits[Name] | null | undefined }
  | null

/** Returns the changed limits; null if none is left. */
export function changedLimits(limits: KeyLimits | null, change: KeyLimitsChange): KeyLimits | null {
  if (change === null) return null
  const merged = Object.entries({ ...limits, ...change })
  const set = merged.filter(([, limit]) => limit !== undefined && limit !== null)
  return set.length === 0 ? null : (Object.fromEntries(set) as KeyLimits)
}

/** Returns whether a key has a spend limit. */
export function limitsSpending({ usdPerDay, usdPerMonth }: KeyLimits = {}): boolean {
  return usdPerDay !== undefined || usdPerMonth !== undefined
}

/** Returns whether a change of a key's limits allows more spending. */
export function raisesSpending(before: KeyLimits | null, after: KeyLimits | null): boolean {
  const names = ['usdPerDay', 'usdPerMonth'] as const
  return names.some((name) => raisesCap(before?.[name], after?.[name]))
}
