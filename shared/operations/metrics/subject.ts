import { notFound } from '#shared/platform/errors.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'

/** The context of a trusted caller's metrics requests. */
export type MetricsContext = Pick<Context<InternalActor>, 'owner' | 'table'>

export interface MetricsInput {
  /** The user whose figures are requested. */
  userId: string
}

/**
 * Returns the user whose metrics a trusted caller may read: a caller that acts for a user cannot read another
 * user's. @throws PlatformError 404
 */
export function subjectOf({ owner }: MetricsContext, { userId }: MetricsInput): string {
  if (owner !== undefined && owner !== userId) throw notFound('User')
  return userId
}
