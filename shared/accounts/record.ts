import * as z from 'zod'
import { subscriptionStatuses } from '../plans/subscriptions.ts'

/** A user as their row has them. */
export const userRecord = () =>
  z.object({
    id: z.string(),
    /** In lower case. */
    email: z.string(),
    emailVerified: z.boolean(),
    /** The address that takes the place of `email` once it is verified. */
    pendingEmail: z.string().optional(),
    name: z.string(),
    /**
     * Grows when every session ends, and so do the reset links and the email change under way: what was begun in an
     * earlier epoch is void in the very moment that the number changes.
     */
    accessEpoch: z.number(),
    /** Grows when every API key ends: the keys of an earlier number are void in that moment. Absent before the first time. */
    keyEpoch: z.number().optional(),
    /** Absent for users who sign in by a provider or a wallet only. */
    passwordHash: z.string().optional(),
    /** A plan's name, or `free` for none. */
    plan: z.string(),
    /** What the user may use beyond their plan, and how many postings made it so: shared/ledger. */
    creditMicroUsd: z.number(),
    creditPostings: z.number().optional(),
    /** False where the user does not want credits drawn by their calls. */
    useCredits: z.boolean().optional(),
    subscription: z.object({
      id: z.string().nullable(),
      status: z.enum(subscriptionStatuses),
      customerId: z.string().nullable(),
      /** ISO 8601; absent but while it is a trial. */
      trialEndsAt: z.string().optional(),
      /** Epoch seconds: when what holds was paid or given; absent before the first time. */
      since: z.number().optional(),
      /** The paid order that it came by; absent for what a trusted caller gave. */
      orderId: z.string().optional(),
    }),
    /** The storage that the user pays for; absent before the first time. */
    storage: z
      .object({
        gb: z.number(),
        subscriptionId: z.string().nullable(),
        status: z.enum(subscriptionStatuses),
        customerId: z.string().nullable(),
        /** This and the next as of `subscription`. */
        since: z.number(),
        orderId: z.string(),
      })
      .optional(),
    twoFactorEnabled: z.boolean(),
    referralCode: z.string(),
    referralCount: z.number(),
    /** How many of them gave this user credits, in a calendar year in UTC; absent before the first. */
    creditedReferrals: z.object({ year: z.number(), count: z.number() }).optional(),
    /** The referral code that the user registered with. */
    referredBy: z.string().optional(),
    agentCount: z.number(),
    /** What the user asked to be told of, as the JSON that they sent: the table's own maps would not keep it as it is. */
    notifications: z.string().optional(),
    /** USD a calendar month in UTC. */
    spendCapUsd: z.number().optional(),
    /** Percents of the cap and the quota at which the user is told; absent until set. */
    spendAlerts: z.array(z.number()).readonly().optional(),
    /** Keys of the user's own at model providers, by the provider's name; each sealed for its place. */
    byok: z.record(z.string(), z.string()).readonly().optional(),
    /** Where spans of the user's work are sent; absent where they are sent nowhere. */
    telemetry: z
      .object({
        url: z.string(),
        /** JSON of what is sent along, by name; sealed. */
        headers: z.string(),
        names: z.array(z.string()),
        content: z.boolean(),
      })
      .optional(),
    createdAt: z.string(),
    /** ISO 8601: when the user deleted their account; the row stays for the books. */
    deletedAt: z.string().optional(),
  })
