import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'

/** The user of a sign-in provider’s person; a person is linked to one user only. */
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
      /** Absent if the provider sent none, and after it was revoked. */
      refreshTokenSealed: z.string().optional(),
    }),
})

/** A user’s permission to sign in with a provider; without a row sign-in is allowed. */
export const accessRows = entity({
  name: 'sign-in permission',
  pk: 'user#{userId}',
  sk: 'provider-access#{provider}',
  schema: () =>
    z.object({
      disabled: z.boolean(),
      /** The order of the event that set this permission, as a text that sorts by time. */
      order: z.string(),
    }),
})

/** Returns the context that a link's refresh token is sealed with. @param linkRow the sort key of the user's link */
export function tokenPlace(userId: string, linkRow: string): string {
  return `${userPartition(userId)}/${linkRow}`
}
