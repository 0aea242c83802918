import { notFound } from '#shared/platform/errors.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'

export interface MetricsInput {
  /** The user whose figures are requested. */
  userId: string
}

/**
 * Returns the user whose metrics a trusted caller may read: a caller that acts for a user cannot read another
 * user's. @throws PlatformError 404
 */
export function subjectOf(
  { owner }: Pick<Context<InternalActor>, 'owner'>,
  { userId }: MetricsInput,
): string {
  if (owner !== undefined && owner !== userId) throw notFound('User')
  return userId
}
