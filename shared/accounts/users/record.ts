import * as z from 'zod'
import { subscriptionStatuses } from '#shared/money/plans/subscriptions.ts'

/** The schema of a user's row. */
export const userRecord = () =>
  z.object({
    id: z.string(),
    /** In lower case. */
    email: z.string(),
    emailVerified: z.boolean(),
    /** The address that will replace `email` after its verification. */
    pendingEmail: z.string().optional(),
    name: z.string(),
    /**
     * Incremented when every session ends. Sessions, reset links and a pending email change of an earlier epoch are
     * void as soon as the number changes.
     */
    accessEpoch: z.number(),
    /**
     * Incremented when every API key ends: keys of an earlier epoch are void immediately. Absent before the first time.
     */
    keyEpoch: z.number().optional(),
    /** Absent for users who have no password and sign in with a provider or a wallet. */
    passwordHash: z.string().optional(),
    /** A plan's name, or `free` without a plan. */
    plan: z.string(),
    /** The credit balance, and the number of its postings: shared/money/ledger. */
    creditMicroUsd: z.number(),
    creditPostings: z.number().optional(),
    /** False if the user's calls must not use credits. */
    useCredits: z.boolean().optional(),
    subscription: z.object({
      id: z.string().nullable(),
      status: z.enum(subscriptionStatuses),
      customerId: z.string().nullable(),
      /** ISO 8601; only during a trial. */
      trialEndsAt: z.string().optional(),
      /** Epoch seconds: time of the payment or grant of the current subscription; absent before the first. */
      since: z.number().optional(),
      /** The paid order of the subscription; absent if a trusted caller granted it. */
      orderId: z.string().optional(),
    }),
    /** The storage that the user pays for; absent before the first time. */
    storage: z
      .object({
        gb: z.number(),
        subscriptionId: z.string().nullable(),
        status: z.enum(subscriptionStatuses),
        customerId: z.string().nullable(),
        /** `since` and `orderId` as in `subscription`. */
        since: z.number(),
        orderId: z.string(),
      })
      .optional(),
    twoFactorEnabled: z.boolean(),
    referralCode: z.string(),
    referralCount: z.number(),
    /** The number of referrals that gave this user credits, in a calendar year, UTC; absent before the first. */
    creditedReferrals: z.object({ year: z.number(), count: z.number() }).optional(),
    /** The referral code that the user registered with. */
    referredBy: z.string().optional(),
    agentCount: z.number(),
    /** The number of clones of the user's agents that other users have paid for; absent before the first. */
    strangerClones: z.number().optional(),
    /** The user's notification settings, as the JSON text of the request: the table's map type would change it. */
    notifications: z.string().optional(),
    /** USD per calendar month, UTC. */
    spendCapUsd: z.number().optional(),
    /** USD per day, UTC. */
    spendCapUsdPerDay: z.number().optional(),
    /** The percentages of the cap and the quota that trigger alerts; absent until set. */
    spendAlerts: z.array(z.number()).readonly().optional(),
    /** The user's own keys of model providers, by provider name; each sealed with its own context. */
    byok: z.record(z.string(), z.string()).readonly().optional(),
    /** The collector that receives spans of the user's work. */
    telemetry: z
      .object({
        url: z.string(),
        /** The sealed JSON of the headers by name. */
        headers: z.string(),
        names: z.array(z.string()),
        content: z.boolean(),
      })
      .optional(),
    createdAt: z.string(),
    /** ISO 8601: when the user deleted their account; the row stays for the accounting. */
    deletedAt: z.string().optional(),
  })
