import { type Grant, grantRows } from '../accounts/grants/rows.ts'
import { scopesOfRow } from '../accounts/stored-scopes.ts'
import { accessSeconds, newTokens, refreshSeconds, storedTokens } from '../accounts/grants/token.ts'
import { profileKey } from '../accounts/user.ts'
import { newId } from '../platform/ids.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import type { TokenAnswer } from './schema.ts'

/** What a user has agreed to. */
export interface Agreement extends Pick<Grant, 'clientId' | 'clientName' | 'scopes' | 'money'> {
  userId: string
  accessEpoch: number
  address: string
}

/**
 * A new grant: the parts of the transaction that makes it, beside what its program is answered. `user` is refused where
 * the user's access was ended since they agreed.
 */
export async function newGrant(
  table: Table,
  { userId, clientId, clientName, scopes, money, accessEpoch, address }: Agreement,
) {
  const id = newId(grantRows.id)
  const tokens = newTokens({ userId, grantId: id })
  const grant: Grant = {
    id,
    clientId,
    clientName,
    scopes,
    ...(money && { money }),
    accessEpoch,
    address,
    createdAt: new Date().toISOString(),
    ...(await storedTokens(tokens)),
  }
  const { write } = userStore(table, userId)
  const row = grantRows.attributes(grant, { expiresAt: refreshUntil() })
  return {
    id,
    parts: {
      user: write.check(profileKey, {
        if: '#accessEpoch = :accessEpoch AND attribute_not_exists(#deletedAt)',
        values: { accessEpoch },
      }),
      grant: write.put(grantRows.sk({ grantId: id }), row),
    },
    answer: answerOf(tokens, grant),
  }
}

/** When a grant ends unless it is refreshed before, in epoch seconds. */
export function refreshUntil(): number {
  return Math.floor(Date.now() / 1000) + refreshSeconds
}

export function answerOf(
  { access, refresh }: ReturnType<typeof newTokens>,
  grant: Pick<Grant, 'scopes' | 'money'>,
): TokenAnswer {
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: accessSeconds,
    refresh_token: refresh,
    scope: scopesOfRow(grant).join(' '),
  }
}
