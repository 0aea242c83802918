import type { InternalActor } from '../http/actor.ts'
import { notFound } from '../platform/errors.ts'

/** Whose metrics a trusted caller may see: who acts for one user sees no other's. @throws PlatformError 404 */
export function subjectOf(actor: InternalActor, userId: string): string {
  if (actor.userId !== undefined && actor.userId !== userId) throw notFound('User')
  return userId
}
