import * as keysGroup from '#functions/web/keys.ts'
import { keyHashes } from '#shared/accounts/keys/hashes.ts'
import { profileKey } from '#shared/accounts/users/user.ts'
import { quotaKey, spendKey, toQuota } from '#shared/ai/usage/quota/row.ts'
import type { KeyLimits } from '#shared/platform/identity/actor.ts'
import type { Key } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { callerOf } from '../http/caller.ts'
import { platformOver } from '../http/platform-over.ts'
import type { VideoWorld } from './videos.ts'

/** Noon of a day in mid-month, so that no test reaches the end of its day. */
export const noon = Date.parse('2026-11-10T12:00:00Z')

/** The price of four seconds of `sora-2`, in millionths of a dollar. */
export const price = 400_000

export interface VideoCaps {
  user?: { spendCapUsd?: number; spendCapUsdPerDay?: number }
  key?: KeyLimits
}

/** Creates users with caps and a key with limits, and reads what their rows hold. */
export function videoLimits(world: Pick<VideoWorld, 'table' | 'newUser'>) {
  const { table } = world
  const keys = callerOf(keysGroup, { table, hashes: keyHashes({ cost: 4 }), adminEmails: [] })

  async function newKey(session: string, limits: KeyLimits) {
    const { id, key } = await platformOver(keys, { session }).keys.create({
      name: 'director',
      scopes: ['read', 'money'],
      limits,
    })
    return { keyId: id, key }
  }

  const setCaps = (userId: string, caps: NonNullable<VideoCaps['user']>) =>
    table.update({ pk: userPartition(userId), sk: profileKey }, { set: { ...caps } })

  const read = async (row: Key) => {
    const { used, committed, held } = toQuota(await table.get(row)).microUsd
    return { used, committed, held: [...held.values()].reduce((sum, one) => sum + one, 0) }
  }

  return {
    newKey,

    setCaps,

    async capped({ user, key = {} }: VideoCaps) {
      const { id, session } = await world.newUser()
      if (user !== undefined) await setCaps(id, user)
      return { id, session, ...(await newKey(session, key)) }
    },

    /** Returns the spending of the day and the month of `noon`. */
    async spent(userId: string, keyId: string) {
      const [month, day, keyMonth, keyDay] = await Promise.all([
        read(quotaKey(userId, '2026-11')),
        read(spendKey(userId, userId, '2026-11-10')),
        read(spendKey(userId, keyId, '2026-11')),
        read(spendKey(userId, keyId, '2026-11-10')),
      ])
      return { month, day, keyMonth, keyDay }
    },
  }
}
