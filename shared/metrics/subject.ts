import type { InternalActor } from '../identity/actor.ts'
import type { Context } from '../identity/context.ts'
import { notFound } from '../platform/errors.ts'

/** What a trusted caller asks the metrics with. */
export type MetricsContext = Pick<Context<InternalActor>, 'actor' | 'table'>

export interface MetricsInput {
  /** Whose figures. */
  userId: string
}

/** Whose metrics a trusted caller may see: one that acts for a user sees no other's. @throws PlatformError 404 */
export function subjectOf({ actor }: MetricsContext, { userId }: MetricsInput): string {
  if (actor.userId !== undefined && actor.userId !== userId) throw notFound('User')
  return userId
}
