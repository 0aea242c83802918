import * as z from 'zod'
import { toMicroUsd } from '#shared/money/ledger/credit.ts'
import { entity } from '#shared/platform/table/entity.ts'
import { shardOf } from '#shared/platform/table/shard.ts'
import { keyLimitAttributes } from './key-limits.ts'
import { userRecord } from './record.ts'
import { scopeAttributes } from './stored-scopes.ts'

/** The user’s account, plan and counts of rows (record.ts). */
export const userRows = entity({
  name: 'user',
  id: 'usr',
  pk: 'user#{userId}',
  sk: 'profile',
  schema: userRecord,
  version: 2,
  // The first version stored whole credits without a ledger: they become the initial balance of the ledger.
  upgrade: ({ credits, ...rest }) => ({ creditMicroUsd: toMicroUsd(Number(credits)), ...rest }),
})

const owner = () => z.object({ userId: z.string() })

/** The owner of an email address; it keeps each address unique. */
export const emailRows = entity({
  name: 'email address',
  pk: 'email#{email}',
  sk: 'email',
  schema: owner,
})

/** The owner of a referral code, in upper case; every user has one from the sign-up, so its index lists all users. */
export const referralRows = entity({
  name: 'referral code',
  pk: 'referral#{code}',
  sk: 'referral',
  gsi1: { pk: 'users#{shard}', sk: '{userId}' },
  schema: owner,
})

/** A user’s referrer, and whether the user has paid and both were credited. */
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
      /** The id of the subscription or the order of that payment. */
      paidBy: z.string().optional(),
      /** The ids of all subscriptions and orders that count for the referral, sorted. */
      standing: z.array(z.string()).optional(),
      /** ISO 8601: the time since which every payment is refunded or disputed; absent while one counts. */
      voidedAt: z.string().optional(),
      /** Set by the last release: the payment was refunded, so a won dispute does not make it count again. */
      refunded: z.literal(true).optional(),
      /** True if the owner of the code was credited too. */
      referrerCredited: z.boolean().optional(),
      /** Millionths of a US dollar that were withdrawn from each of the two users because the payment is void. */
      withdrawn: z.object({ own: z.number(), referrer: z.number() }).optional(),
    }),
})

/** The number of index partitions of users. */
export const userShards = 16

export function usersPartition(shard: number): string {
  return `users#${shard}`
}

/**
 * Returns the index keys of a user. Only a row that never changes has them, so that changes of a user do not write the
 * index.
 */
export function userIndex(userId: string) {
  return { gsi1pk: usersPartition(shardOf(userId, userShards)), gsi1sk: userId }
}

/** A sign-in of a browser, by the SHA-256 of its token; it is valid in its access epoch only. */
export const sessionRows = entity({
  name: 'session',
  id: 'ses',
  pk: 'user#{userId}',
  sk: 'session#{tokenHash}',
  schema: () =>
    z.object({
      accessEpoch: z.number(),
      createdAt: z.string(),
      /**
       * The id in the user’s list of sessions. This and the following fields are absent in sessions from before
       * that list.
       */
      id: z.string().optional(),
      /** ISO 8601, accurate to 15 minutes. */
      lastSeenAt: z.string().optional(),
      /** The client’s User-Agent and address. */
      userAgent: z.string().optional(),
      address: z.string().optional(),
    }),
})

/** A user’s API key, by the SHA-256 of the raw key; it is valid in its key epoch only. */
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
      /** Absent in keys from before scopes. */
      scopes: scopeAttributes().scopes.optional(),
      money: scopeAttributes().money,
      /**
       * ISO 8601; absent if the key does not expire. Not named `expiresAt`: by that attribute the table would delete
       * the row, but the count would still include it.
       */
      validUntil: z.string().optional(),
      /** The user's `keyEpoch` when the key was created; absent for 0. */
      epoch: z.number().optional(),
      /** The key's limits; a missing field means no limit. */
      limits: keyLimitAttributes().optional(),
      /** The number of changes of the key; absent before the first. */
      revision: z.number().optional(),
    }),
})

/** The user of a subscription at the payment provider; the user's row may already contain a newer subscription. */
export const subscriptionOwnerRows = entity({
  name: 'owner of a subscription',
  pk: 'subscription#{id}',
  sk: 'owner#{userId}',
  gsi1: { pk: 'paid-subscriptions#{shard}', sk: '{id}' },
  schema: owner,
})

/** The number of index partitions of paid subscriptions. */
export const paidShards = 16

export function paidPartition(shard: number): string {
  return `paid-subscriptions#${shard}`
}

/** Returns the index keys of a subscription that was paid for at the provider; granted subscriptions have none. */
export function paidIndex(id: string) {
  return { gsi1pk: paidPartition(shardOf(id, paidShards)), gsi1sk: id }
}

/** The address that a mailed link verifies, by the SHA-256 of its token. */
export const verificationRows = entity({
  name: 'verification link',
  pk: 'verification#{tokenHash}',
  sk: 'verification',
  schema: () =>
    z.object({
      userId: z.string(),
      /** The address that the link was mailed to. */
      email: z.string(),
      /** The user’s address and access epoch at the time of the request; only for a change of the address. */
      from: z.object({ email: z.string(), accessEpoch: z.number() }).optional(),
    }),
})

/** The user whose password a mailed link sets, by the SHA-256 of its token. */
export const resetRows = entity({
  name: 'reset link',
  pk: 'reset#{tokenHash}',
  sk: 'reset',
  schema: () => z.object({ userId: z.string(), email: z.string(), accessEpoch: z.number() }),
})

const failures = () =>
  z.object({
    /** The times of failed sign-ins, epoch milliseconds. */
    times: z.array(z.number()),
    version: z.number(),
  })

/** The number of index partitions of users with spend alerts. */
const alertShards = 8

const alertPartition = (shard: number) => `spend-alerts#${shard}`

/** Every partition of the index that the tick of spend alerts reads. */
export const alertPartitions = Array.from({ length: alertShards }, (_, i) => alertPartition(i))

/** Returns the index keys of a user with spend alerts. */
export function alertIndex(userId: string) {
  return { gsi1pk: alertPartition(shardOf(userId, alertShards)), gsi1sk: userId }
}

/**
 * A user’s spend alerts: the percents of the cap and quota, and the alerts already sent; in the index while there
 * are any.
 */
export const spendAlertRows = entity({
  name: 'spend alerts',
  pk: 'user#{userId}',
  sk: 'spend-alerts',
  gsi1: { pk: 'spend-alerts#{shard}', sk: '{userId}' },
  schema: () =>
    z.object({
      userId: z.string(),
      percents: z.array(z.number()),
      /**
       * Alerts sent this month, as `<month>#<what>#<percent>`, or `<month>#<day>#<what>#<percent>` of a daily cap;
       * absent before the first.
       */
      told: z.array(z.string()).optional(),
      /** Alerts whose mail may not be in its queue yet. */
      unsent: z
        .array(
          z.object({
            id: z.string(),
            type: z.enum(['spend.threshold', 'quota.threshold']),
            /** `used` and `limit` in USD or tokens. */
            data: z.object({
              percent: z.number(),
              month: z.string(),
              /** The day of a daily cap, such as `2026-11-27`; absent for a monthly one. */
              day: z.string().optional(),
              used: z.number(),
              limit: z.number(),
            }),
          }),
        )
        .optional(),
    }),
})

/** Failed sign-ins of an account in the last 15 minutes, by the SHA-256 of its address. */
export const accountLockoutRows = entity({
  name: 'account’s failed sign-ins',
  pk: 'lockout#account#{emailHash}',
  sk: 'lockout',
  schema: failures,
})

/** Failed sign-ins from a client’s address block in the last 15 minutes. */
export const addressLockoutRows = entity({
  name: 'client’s failed sign-ins',
  pk: 'lockout#address#{block}',
  sk: 'lockout',
  schema: failures,
})

/** Failed sign-ins of a known browser in the last 15 minutes; they count only here. */
export const browserLockoutRows = entity({
  name: 'known browser’s failed sign-ins',
  pk: 'lockout#browser#{browserId}',
  sk: 'lockout',
  schema: failures,
})

/** Failed sign-ins of all known browsers of an account in the last 15 minutes. */
export const browsersLockoutRows = entity({
  name: 'known browsers’ failed sign-ins',
  pk: 'lockout#browsers#{userId}',
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

/**
 * Mails to unverified mailboxes that a user or a network asked for on a day in UTC, and in each hour of it
 * (`hour<0–23>`).
 */
export const mailAskerRows = entity({
  name: 'count of an asker’s mails',
  pk: 'mail-asker#{asker}',
  sk: '{day}',
  schema: () => z.object({ count: z.number() }).catchall(z.number()),
})

/** Mails to a mailbox on a day in UTC, and in each hour of it (`hour<0–23>`); by the SHA-256 of its address without the part after a plus. */
export const mailboxRows = entity({
  name: 'count of a mailbox’s mails',
  pk: 'mailbox#{mailboxHash}',
  sk: '{day}',
  schema: () => z.object({ count: z.number() }).catchall(z.number()),
})
