import { newId } from '#shared/platform/ids.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { type Grant, grantRows } from '../users/grants/rows.ts'
import { accessSeconds, newTokens, refreshSeconds, storedTokens } from '../users/grants/token.ts'
import { scopesOfRow } from '../users/stored-scopes.ts'
import { profileKey } from '../users/user.ts'
import type { TokenAnswer } from './schema.ts'

/** The access that a user has approved. */
export interface Agreement extends Pick<Grant, 'clientId' | 'clientName' | 'scopes' | 'money'> {
  userId: string
  accessEpoch: number
  address: string
}

/**
 * Prepares a new grant: the parts of its transaction, and the program's response. The part `user` is refused if the
 * user's credentials were revoked after the approval.
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

/** Returns the expiry of a grant that is not refreshed again, in epoch seconds. */
export function refreshUntil(): number {
  return epochSeconds() + refreshSeconds
}

/** Returns the token response: RFC 6749, section 5.1. */
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
