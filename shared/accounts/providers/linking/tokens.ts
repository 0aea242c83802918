import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Sealer } from '#shared/platform/seal.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { ProviderName } from '../provider.ts'
import type { Arrival } from './arrival.ts'
import { tokenPlace, userLinkRows } from './rows.ts'

/** Creates a user's new link, with the refresh token sealed for its row. */
export async function newLink({ sealer }: Can<'sealer'>, input: Arrival & { userId: string }) {
  return { linkedAt: new Date().toISOString(), ...(await sealedToken(sealer, input)) }
}

/** Replaces the refresh token by the token of a later sign-in. */
export async function replaceToken(
  { table, sealer }: Pick<Context, 'table'> & Can<'sealer'>,
  input: Arrival & { userId: string },
): Promise<void> {
  const { userId, provider, profile } = input
  if (profile.refreshToken === undefined) return
  await userStore(table, userId).update(userLinkRows.sk({ provider, subject: profile.subject }), {
    set: await sealedToken(sealer, input),
    if: 'attribute_exists(pk)',
  })
}

async function sealedToken(
  sealer: Sealer,
  { userId, provider, profile: { subject, refreshToken } }: Arrival & { userId: string },
): Promise<{ refreshTokenSealed?: string }> {
  if (refreshToken === undefined) return {}
  const place = tokenPlace(userId, userLinkRows.sk({ provider, subject }))
  return { refreshTokenSealed: await sealer.seal(refreshToken, place) }
}

export interface TokenRemoval {
  userId: string
  provider: ProviderName
  /** Called with each token before it is removed. */
  each: (refreshToken: string) => Promise<void>
}

/** Removes every refresh token of a provider from a user's rows. */
export async function removeTokens(
  { table, sealer }: Pick<Context, 'table'> & Can<'sealer'>,
  { userId, provider, each }: TokenRemoval,
): Promise<void> {
  const store = userStore(table, userId)
  const beginsWith = userLinkRows.prefix({ provider })
  for await (const row of everyItem((from) => store.query({ beginsWith, ...from }))) {
    const { sk } = row
    const { refreshTokenSealed: sealed } = userLinkRows.parse(row)
    if (sealed === undefined) continue
    const token = await sealer.open(sealed, tokenPlace(userId, sk))
    if (token !== undefined) await each(token)
    await removeToken(table, userId, sk, sealed)
  }
}

async function removeToken(
  table: Table,
  userId: string,
  row: string,
  sealed: string,
): Promise<void> {
  // If a later sign-in has replaced the token, the new one was not revoked and stays.
  await tryWrite(
    userStore(table, userId).update(row, {
      remove: ['refreshTokenSealed'],
      if: '#refreshTokenSealed = :sealed',
      values: { sealed },
    }),
  )
}
