import { everyItem } from '../../platform/table/pages.ts'
import { ConditionFailed, type Table } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import type { Sealer } from '../../platform/seal.ts'
import type { ProviderName } from '../provider.ts'
import { linkRowKey, linksPrefix, tokenPlace } from './rows.ts'
import type { Arrival, LinkContext } from './user-of.ts'

/** The attributes of a user's new link, with the refresh token sealed for where it lies. */
export async function newLink(
  { sealer }: LinkContext,
  userId: string,
  arrival: Arrival,
): Promise<Record<string, unknown>> {
  return { linkedAt: new Date().toISOString(), ...(await sealedToken(sealer, userId, arrival)) }
}

/** Puts the refresh token of a later sign-in in the place of the earlier one's. */
export async function keepToken(
  { table, sealer }: LinkContext,
  userId: string,
  arrival: Arrival,
): Promise<void> {
  const { provider, profile } = arrival
  if (profile.refreshToken === undefined) return
  await userStore(table, userId).update(linkRowKey(provider, profile.subject), {
    set: await sealedToken(sealer, userId, arrival),
    if: 'attribute_exists(pk)',
  })
}

async function sealedToken(
  sealer: Sealer,
  userId: string,
  { provider, profile: { subject, refreshToken } }: Arrival,
): Promise<{ refreshTokenSealed?: string }> {
  if (refreshToken === undefined) return {}
  const place = tokenPlace(userId, linkRowKey(provider, subject))
  return { refreshTokenSealed: await sealer.seal(refreshToken, place) }
}

/**
 * Takes every refresh token of a provider's out of a user's rows.
 * @param each is given a token before it goes
 */
export async function removeTokens(
  { table, sealer }: { table: Table; sealer: Sealer },
  { userId, provider }: { userId: string; provider: ProviderName },
  each: (refreshToken: string) => Promise<void>,
): Promise<void> {
  const store = userStore(table, userId)
  const links = everyItem((from) => store.query({ beginsWith: linksPrefix(provider), ...from }))
  for await (const { sk, refreshTokenSealed: sealed } of links) {
    if (typeof sealed !== 'string') continue
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
  try {
    await userStore(table, userId).update(row, {
      remove: ['refreshTokenSealed'],
      if: '#refreshTokenSealed = :sealed',
      values: { sealed },
    })
  } catch (error) {
    // A later sign-in put another in its place, which nobody revoked.
    if (!(error instanceof ConditionFailed)) throw error
  }
}
