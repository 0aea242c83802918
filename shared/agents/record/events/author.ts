import type { ChangeAuthor } from '../context.ts'

/**
 * Returns the author of an event: `user:<id>` for a person that acts for the agent's owner, `operator:<id>` for
 * another person, `platform` for a job.
 */
export function authorOf(
  { actor, owner }: ChangeAuthor,
  agent: { userId: string | null },
): string | null {
  if (actor === undefined || actor.type === 'platform') return 'platform'
  const userId = actor.type === 'user' ? actor.user.id : undefined
  const person = actor.type === 'internal' ? actor.userId : userId
  if (person === undefined) return null
  return (owner ?? person) === agent.userId ? `user:${person}` : `operator:${person}`
}
