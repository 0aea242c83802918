import type { ChangeAuthor } from '../context.ts'

/**
 * Returns the author of an event: `user:<id>` for the agent's owner, `operator:<id>` for another person, `platform` for
 * a job.
 */
export function authorOf(
  actor: ChangeAuthor['actor'],
  { userId: owner }: { userId: string | null },
): string | null {
  if (actor === undefined || actor.type === 'platform') return 'platform'
  const userId = actor.type === 'user' ? actor.user.id : undefined
  const person = actor.type === 'internal' ? actor.userId : userId
  if (person === undefined) return null
  return person === owner ? `user:${person}` : `operator:${person}`
}
