import * as z from 'zod'
import { usdField } from '#shared/money/fields/usd.ts'
import { planNames } from '#shared/money/plans/plans.ts'
import { keyScopes } from '#shared/platform/identity/actor.ts'
import { routingForm } from '#shared/platform/model-routing.ts'
import { once } from '#shared/platform/once.ts'
import { features } from './features.ts'

const scopes = once(() =>
  z.array(z.enum(keyScopes, { error: `scopes must be from ${keyScopes.join(', ')}` }), {
    error: 'scopes must be a list',
  }),
)

const limitFields = once(() => ({
  models: z
    .array(z.string().trim().min(1).max(200))
    .min(1, 'limits.models must name at least one model')
    .max(100, 'limits.models must have at most 100 models')
    .overwrite((ids) => [...new Set(ids)])
    .describe('The models that the key may use'),
  requestsPerMinute: z.int().min(1).max(1_000_000).describe('Model calls per minute of the clock'),
  usdPerDay: usdField().describe('USD per day in UTC'),
  usdPerMonth: usdField().describe('USD per calendar month in UTC'),
  routing: routingForm(),
}))

/** contract.md 11. */
const newLimits = once(() => {
  const { models, requestsPerMinute, usdPerDay, usdPerMonth, routing } = limitFields()
  return z
    .strictObject({
      models: models.nullish(),
      requestsPerMinute: requestsPerMinute.nullish(),
      usdPerDay: usdPerDay.nullish(),
      usdPerMonth: usdPerMonth.nullish(),
      routing: routing.nullish(),
    })
    .nullable()
    .describe('Null for none; a limit that is null or absent is not set')
    .meta({ id: 'KeyLimitsChange' })
})

const limits = once(() =>
  z.object(limitFields()).partial().nullable().describe('Null for none').meta({ id: 'KeyLimits' }),
)

/** The expiry, the scopes and the limits of a key: contract.md 3 and 11. */
const terms = once(() => ({
  scopes: scopes(),
  expiresAt: z.string().nullable().describe('Null for never'),
  limits: limits(),
}))

const keyName = once(() =>
  z
    .string({ error: 'name required' })
    .trim()
    .min(1, 'name required')
    .max(64, 'name must have at most 64 characters')
    .overwrite((name) => name.toWellFormed()),
)

/** spec.md, API keys, and contract.md 11. */
export const newKey = once(() =>
  z
    .object({
      name: keyName(),
      scopes: scopes()
        .min(1, 'scopes must name at least one')
        // Unique, and always in the same order.
        .overwrite((names) => keyScopes.filter((scope) => names.includes(scope)))
        .optional()
        .describe('Default: read, chat and write; money and admin require a session'),
      expiresAt: z.iso
        .datetime({
          abort: true,
          offset: true,
          error: 'expiresAt must be an ISO 8601 time such as 2030-01-31T12:00:00Z',
        })
        .refine((time) => Date.parse(time) > Date.now(), 'expiresAt must be in the future')
        .overwrite((time) => new Date(time).toISOString())
        .nullable()
        .optional()
        .describe('Null or absent for never'),
      limits: newLimits().optional(),
    })
    .meta({ id: 'NewKey' }),
)

export type NewKey = z.output<ReturnType<typeof newKey>>

/** The body of PATCH /api/keys/:id. */
export const keyChange = once(() =>
  z
    .object({ name: keyName().optional(), limits: newLimits().optional() })
    .meta({ id: 'KeyChange' }),
)

export type KeyChange = z.output<ReturnType<typeof keyChange>>

export const keyParams = z.object({ id: z.string() })

/** The only response with a raw key. */
export const createdKey = once(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      key: z.string().describe('The API key; returned only once'),
      createdAt: z.string(),
      ...terms(),
    })
    .meta({ id: 'CreatedKey' }),
)

export const shownKey = once(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      keyPreview: z.string(),
      createdAt: z.string(),
      lastUsed: z.string().nullable(),
      ...terms(),
    })
    .meta({ id: 'Key' }),
)

export const keyToValidate = once(() =>
  z.object({
    apiKey: z.string({ error: 'apiKey required' }).min(1, 'apiKey required'),
  }),
)

/** The holder of a key and its features. */
export const keyHolder = once(() =>
  z
    .object({
      valid: z.literal(true),
      userId: z.string(),
      plan: z.enum([...planNames, 'free']),
      features: z.array(z.enum(features)),
    })
    .meta({ id: 'KeyHolder' }),
)

export const keyHolderAccount = once(() =>
  keyHolder()
    .extend({
      email: z.string(),
      subscriptionStatus: z.string(),
    })
    .meta({ id: 'KeyHolder' }),
)
