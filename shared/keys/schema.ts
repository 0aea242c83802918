import * as z from 'zod'
import { planNames } from '../plans/plans.ts'
import { features } from './features.ts'

/** spec.md, API keys. */
export const newKey = z.object({
  name: z
    .string({ error: 'name required' })
    .trim()
    .min(1, 'name required')
    .max(64, 'name must have at most 64 characters')
    .overwrite((name) => name.toWellFormed()),
})

export const keyParams = z.object({ id: z.string() })

/** The one answer that ever carries a raw key. */
export const createdKey = z.object({
  id: z.string(),
  name: z.string(),
  key: z.string().describe('The raw key, shown only here'),
  createdAt: z.string(),
})

export const shownKey = z.object({
  id: z.string(),
  name: z.string(),
  keyPreview: z.string(),
  createdAt: z.string(),
  lastUsed: z.string().nullable(),
})

export const keyToValidate = z.object({
  apiKey: z.string({ error: 'apiKey required' }).min(1, 'apiKey required'),
})

/** Who holds a key, and what it opens. */
export const keyHolder = z.object({
  valid: z.literal(true),
  userId: z.string(),
  plan: z.enum([...planNames, 'free']),
  features: z.array(z.enum(features)),
})

export const keyHolderAccount = keyHolder.extend({
  email: z.string(),
  subscriptionStatus: z.string(),
})
