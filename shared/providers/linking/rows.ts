import * as z from 'zod'
import { entity } from '../../platform/table/entity.ts'
import { userPartition } from '../../platform/table/user-store.ts'

/** Which user a sign-in provider’s person is; it keeps each person one user’s only. */
export const linkRows = entity({
  name: 'provider’s person',
  pk: 'provider#{provider}#{subject}',
  sk: 'link',
  schema: () => z.object({ userId: z.string() }),
})

/** A user’s link to a sign-in provider, with the sealed refresh token. */
export const userLinkRows = entity({
  name: 'sign-in method',
  pk: 'user#{userId}',
  sk: 'provider#{provider}#{subject}',
  schema: () =>
    z.object({
      linkedAt: z.string(),
      /** Absent where the provider gave none, and once it was revoked. */
      refreshTokenSealed: z.string().optional(),
    }),
})

/** Returns whether a user may sign in by a provider; absent for yes. */
export const accessRows = entity({
  name: 'sign-in permission',
  pk: 'user#{userId}',
  sk: 'provider-access#{provider}',
  schema: () =>
    z.object({
      disabled: z.boolean(),
      /** Of the event that decided it, as a text that sorts by time. */
      order: z.string(),
    }),
})

/** What a link's refresh token is sealed for. @param linkRow the sort key of the user's link */
export function tokenPlace(userId: string, linkRow: string): string {
  return `${userPartition(userId)}/${linkRow}`
}
