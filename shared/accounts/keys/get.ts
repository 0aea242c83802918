import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { type ApiKey, keysOf } from '../users/api-key.ts'

/** Returns one of the caller's keys. @throws PlatformError 404 for a key of another user */
export async function getKey(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  { id }: { id: string },
): Promise<ApiKey> {
  const key = (await keysOf({ table }, { owner: actor.user })).find((one) => one.id === id)
  if (key === undefined) throw notFound('API key')
  return key
}
