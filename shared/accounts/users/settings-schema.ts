import * as z from 'zod'
import { usdField } from '#shared/money/fields/usd.ts'
import { isShallow } from '#shared/platform/json.ts'
import { displayName, newEmail, passwordText } from './schema.ts'

const notificationLimits = { characters: 4096, depth: 8 } as const

/**
 * The user's notification settings. The client chooses the keys; the row is read with every request, so the size is
 * limited.
 */
const notifications = z
  .record(z.string(), z.unknown())
  .refine((value) => isShallow(value, notificationLimits.depth), {
    error: `notifications must be nested at most ${notificationLimits.depth} deep`,
    abort: true,
  })
  .refine(
    (value) => JSON.stringify(value).length <= notificationLimits.characters,
    `notifications must have at most ${notificationLimits.characters} characters of JSON`,
  )

/** Percentages of the cap and the quota: contract.md 11, Alerts. */
const spendAlerts = z
  .array(z.int().min(1).max(100))
  .max(5, 'spendAlerts must be at most 5 percentages')
  .overwrite((percents) => [...new Set(percents)].sort((one, other) => one - other))
  .describe(
    'Percentages of the monthly and daily spend caps and of the plan’s quota that trigger a notification',
  )

const newName = displayName.min(1, 'name must not be empty')

/** The body of POST /api/settings. */
export const accountChange = z
  .object({
    name: newName.optional(),
    email: newEmail.optional(),
    currentPassword: passwordText('currentPassword')
      .optional()
      .describe(
        'Required to change the email; a user without a password must have signed in within 15 minutes',
      ),
  })
  .meta({ id: 'AccountChange' })

export type AccountChange = z.output<typeof accountChange>

/** The body of PATCH /api/settings. */
export const preferences = z
  .object({
    name: newName.optional(),
    notifications: notifications.optional(),
    spendCapUsd: usdField().nullish().describe('USD per calendar month in UTC; null for no cap'),
    spendCapUsdPerDay: usdField().nullish().describe('USD per day in UTC; null for no cap'),
    useCredits: z
      .boolean()
      .optional()
      .describe('True if calls above the plan’s quota use credits; default true'),
    spendAlerts: spendAlerts.optional(),
  })
  .meta({ id: 'ProfileChange' })

export type Preferences = z.output<typeof preferences>

/** The current user's profile: spec.md, Resources, the spend cap of contract.md 5, and the use of credits of 9. */
export const profile = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    plan: z.string(),
    credits: z.number(),
    twoFactorEnabled: z.boolean(),
    spendCapUsd: z.number().nullable().describe('USD per calendar month in UTC; null for no cap'),
    spendCapUsdPerDay: z.number().nullable().describe('USD per day in UTC; null for no cap'),
    useCredits: z
      .boolean()
      .optional()
      .describe(
        'True if calls above the plan’s quota use credits; absent until set, which means true',
      ),
    spendAlerts: spendAlerts.optional(),
    notifications: notifications.optional().describe('Absent until the user sets them'),
  })
  .meta({ id: 'Profile' })

export type Profile = z.output<typeof profile>
