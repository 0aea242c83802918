import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { shardOf } from '../platform/table/shard.ts'
import { toMicroUsd } from '../ledger/credit.ts'
import { userRecord } from './record.ts'
import { scopeAttributes } from './stored-scopes.ts'

/** The user’s account, plan and counts of what they have (record.ts). */
export const userRows = entity({
  name: 'user',
  id: 'usr',
  pk: 'user#{userId}',
  sk: 'profile',
  schema: userRecord,
  version: 2,
  // The first version counted whole credits, and had no ledger: what a user had is where theirs begins.
  upgrade: ({ credits, ...rest }) => ({ creditMicroUsd: toMicroUsd(Number(credits)), ...rest }),
})

const owner = () => z.object({ userId: z.string() })

/** Whose address it is; it keeps each address one user’s only. */
export const emailRows = entity({
  name: 'email address',
  pk: 'email#{email}',
  sk: 'email',
  schema: owner,
})

/** Whose code it is, in upper case; every user has one from the beginning, so that the index lists all users by it. */
export const referralRows = entity({
  name: 'referral code',
  pk: 'referral#{code}',
  sk: 'referral',
  gsi1: { pk: 'users#{shard}', sk: '{userId}' },
  schema: owner,
})

/** The referrer of a user, and if the user has paid and both were credited. */
export const referredRows = entity({
  name: 'referral',
  pk: 'user#{userId}',
  sk: 'referral',
  schema: () =>
    z.object({
      /** The owner of the code. */
      referrerId: z.string(),
      state: z.enum(['open', 'settled']),
      /** ISO 8601: the first payment of more than zero; absent before it. */
      paidAt: z.string().optional(),
    }),
})

/** The platform's users are spread over this many partitions of the index. */
export const userShards = 16

export function usersPartition(shard: number): string {
  return `users#${shard}`
}

/** The place of a user among all: on a row that never changes, so that no change of a user writes the index. */
export function userIndex(userId: string) {
  return { gsi1pk: usersPartition(shardOf(userId, userShards)), gsi1sk: userId }
}

/** A sign-in of a browser, by the SHA-256 of its token; it holds in its access epoch only. */
export const sessionRows = entity({
  name: 'session',
  id: 'ses',
  pk: 'user#{userId}',
  sk: 'session#{tokenHash}',
  schema: () =>
    z.object({
      accessEpoch: z.number(),
      createdAt: z.string(),
      /** By what its user knows it; absent, as the rest is, in sessions that are older than the list of them. */
      id: z.string().optional(),
      /** ISO 8601, to a quarter of an hour. */
      lastSeenAt: z.string().optional(),
      /** What signed in, by its own word, and from which address. */
      userAgent: z.string().optional(),
      address: z.string().optional(),
    }),
})

/** A user’s API key, by the SHA-256 of the raw key; it holds in its key epoch only. */
export const keyRows = entity({
  name: 'API key',
  id: 'key',
  pk: 'user#{userId}',
  sk: 'key#{digest}',
  schema: () =>
    z.object({
      id: z.string(),
      name: z.string(),
      /** The raw key's first characters. */
      keyPreview: z.string(),
      /** bcrypt, cost 10. */
      hash: z.string(),
      createdAt: z.string(),
      /** Absent before the first use. */
      lastUsed: z.string().optional(),
      /** Absent in keys that are older than scopes. */
      scopes: scopeAttributes().scopes.optional(),
      money: scopeAttributes().money,
      /** ISO 8601; absent for never. `expiresAt` is the table's own: the row would go, and stay among those that are counted. */
      validUntil: z.string().optional(),
      /** The user's `keyEpoch` when it was made; absent for 0. */
      epoch: z.number().optional(),
    }),
})

/** That a user’s record named a subscription at the payment provider; it may name another by now. */
export const subscriptionOwnerRows = entity({
  name: 'owner of a subscription',
  pk: 'subscription#{id}',
  sk: 'owner#{userId}',
  gsi1: { pk: 'paid-subscriptions#{shard}', sk: '{id}' },
  schema: owner,
})

/** Subscriptions that were paid for are spread over this many partitions of the index. */
export const paidShards = 16

export function paidPartition(shard: number): string {
  return `paid-subscriptions#${shard}`
}

/** The place in the index of a subscription that was paid for at the provider; those that were given have none. */
export function paidIndex(id: string) {
  return { gsi1pk: paidPartition(shardOf(id, paidShards)), gsi1sk: id }
}

/** What a mailed link verifies, by the SHA-256 of its token. */
export const verificationRows = entity({
  name: 'verification link',
  pk: 'verification#{tokenHash}',
  sk: 'verification',
  schema: () =>
    z.object({
      userId: z.string(),
      /** The address that the link was mailed to. */
      email: z.string(),
      /** Of a change of address: what the user was when they asked for it. */
      from: z.object({ email: z.string(), accessEpoch: z.number() }).optional(),
    }),
})

/** Whose password a mailed link sets, by the SHA-256 of its token. */
export const resetRows = entity({
  name: 'reset link',
  pk: 'reset#{tokenHash}',
  sk: 'reset',
  schema: () => z.object({ userId: z.string(), email: z.string(), accessEpoch: z.number() }),
})

const failures = () =>
  z.object({
    /** When sign-ins failed, epoch milliseconds. */
    times: z.array(z.number()),
    version: z.number(),
  })

/** Users who are told what they spend are spread over this many partitions of the index. */
const alertShards = 8

const alertPartition = (shard: number) => `spend-alerts#${shard}`

/** Every partition of the index that the tick of spend alerts looks at. */
export const alertPartitions = Array.from({ length: alertShards }, (_, i) => alertPartition(i))

/** The place in the index of a user who is told what they spend. */
export function alertIndex(userId: string) {
  return { gsi1pk: alertPartition(shardOf(userId, alertShards)), gsi1sk: userId }
}

/** At what parts of their cap and quota a user is told, and of which they were; in the index while there are any. */
export const spendAlertRows = entity({
  name: 'spend alerts',
  pk: 'user#{userId}',
  sk: 'spend-alerts',
  gsi1: { pk: 'spend-alerts#{shard}', sk: '{userId}' },
  schema: () =>
    z.object({
      userId: z.string(),
      percents: z.array(z.number()),
      /** Of the present month, as `<month>#<what>#<percent>`; absent before the first. */
      told: z.array(z.string()).optional(),
      /** Those whose mail is perhaps not in its queue yet. */
      unsent: z
        .array(
          z.object({
            id: z.string(),
            type: z.enum(['spend.threshold', 'quota.threshold']),
            /** `used` and `limit` in USD or tokens. */
            data: z.object({
              percent: z.number(),
              month: z.string(),
              used: z.number(),
              limit: z.number(),
            }),
          }),
        )
        .optional(),
    }),
})

/** Failed sign-ins of an account of the last 15 minutes, by the SHA-256 of its address. */
export const accountLockoutRows = entity({
  name: 'account’s failed sign-ins',
  pk: 'lockout#account#{emailHash}',
  sk: 'lockout',
  schema: failures,
})

/** Failed sign-ins from a client’s address block of the last 15 minutes. */
export const addressLockoutRows = entity({
  name: 'client’s failed sign-ins',
  pk: 'lockout#address#{block}',
  sk: 'lockout',
  schema: failures,
})

/** Failed sign-ins of a known browser of the last 15 minutes; they count there alone. */
export const browserLockoutRows = entity({
  name: 'known browser’s failed sign-ins',
  pk: 'lockout#browser#{browserId}',
  sk: 'lockout',
  schema: failures,
})

/** Mails of one kind that were sent for an account in an hour. */
export const mailCountRows = entity({
  name: 'count of mails',
  pk: 'user#{userId}',
  sk: 'mails#{kind}#{hour}',
  schema: () => z.object({ count: z.number() }),
})

/** Mails to a mailbox on a day in UTC, and in each hour of it (`hour<0–23>`); by the SHA-256 of its address without the part behind a plus. */
export const mailboxRows = entity({
  name: 'count of a mailbox’s mails',
  pk: 'mailbox#{mailboxHash}',
  sk: '{day}',
  schema: () => z.object({ count: z.number() }).catchall(z.number()),
})
