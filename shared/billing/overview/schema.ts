import * as z from 'zod'
import { planNames } from '#shared/money/plans/plans.ts'
import { subscriptionStatuses } from '#shared/money/plans/subscriptions.ts'
import { packs } from '../payments/catalogue.ts'

const planText = z.enum(planNames, { error: `plan must be one of ${planNames.join(', ')}` })

const packWords = packs.map(String)

/** The size of a pack as a number, or as digits, because a query contains only text. */
const packOf = (field: string) =>
  z.preprocess(
    (value) => (typeof value === 'string' && packWords.includes(value) ? Number(value) : value),
    z.literal(packs, { error: `${field} must be one of ${packWords.join(', ')}` }),
  )

/** The query of the link to a plan's checkout. */
export const checkoutQuery = z.object({ plan: planText })

/** The query of the link to a pack's checkout. */
export const creditsQuery = z.object({ price: packOf('price') })

/** The URL of the payment page. */
export const paymentAnswer = z.object({ url: z.url() })

const provider = z.string({ error: 'provider required' }).trim().min(1, 'provider required').max(40)

/** It becomes a header's value, so it must be printable ASCII without spaces. */
const apiKey = z
  .string({ error: 'apiKey required' })
  .trim()
  .min(8, 'apiKey must have at least 8 characters')
  .max(512, 'apiKey must have at most 512 characters')
  .regex(/^[\x21-\x7e]+$/, 'apiKey must contain only printable ASCII characters without spaces')

const actions = [
  'create-checkout',
  'enable-byok',
  'disable-byok',
  'get-usage',
  'buy-credits',
] as const

/** The actions of POST /api/billing: contract.md 9. */
export const billingAction = z
  .discriminatedUnion(
    'action',
    [
      z.object({ action: z.literal('create-checkout'), plan: planText }),
      z.object({ action: z.literal('enable-byok'), provider, apiKey }),
      z.object({
        action: z.literal('disable-byok'),
        provider: provider.optional().describe('If absent, all keys are removed'),
      }),
      z.object({ action: z.literal('get-usage') }),
      z.object({ action: z.literal('buy-credits'), pack: packOf('pack') }),
    ],
    { error: `action must be one of ${actions.join(', ')}` },
  )
  .meta({ id: 'BillingAction' })

export type BillingAction = z.output<typeof billingAction>

const tokens = z.number().nullable().describe('Null for no limit')

const usage = z
  .object({ used: z.number(), quota: tokens, remaining: tokens, resetsAt: z.string() })
  .describe('Tokens in the calendar month in UTC, without calls served by the user’s own keys')

const offeredPlan = z
  .object({
    name: z.enum(planNames),
    price: z.number().describe('Per month'),
    currency: z.literal('GBP'),
    limits: z.object({
      agents: z.number(),
      awakeAgents: z.number().describe('Maximum of agents awake at the same time'),
      skills: z.number(),
      dailyMessages: z.number().describe('Messages between agents per day'),
      storageGb: z.number().describe('Storage for the files of all agents, in GB'),
      monthlyTokens: tokens,
    }),
    models: z.array(z.string()).nullable().describe('Null for all models'),
    container: z.object({ cpu: z.number(), memoryGb: z.number() }),
  })
  .meta({ id: 'Plan' })

/** The response of GET /api/billing: contract.md 9. */
export const billingAnswer = z
  .object({
    plans: z.array(offeredPlan),
    currentPlan: z.string(),
    subscriptionStatus: z.enum(subscriptionStatuses),
    trial: z
      .object({ endsAt: z.string() })
      .nullable()
      .describe('Null if the subscription is not a trial'),
    storageGb: z.number().describe('Paid storage in addition to the plan’s, in GB'),
    byokEnabled: z.boolean(),
    usage,
    awakeAgents: z
      .object({ current: z.number(), limit: z.number().nullable() })
      .describe('Agents that run or start, and the limit; null for no limit'),
  })
  .meta({ id: 'Billing' })

/** The response of each action: a payment URL, whether own keys are in use, or the usage. */
export const actionAnswer = z
  .union([
    paymentAnswer,
    z.object({ success: z.literal(true), byokEnabled: z.boolean() }),
    z.object({ usage }),
  ])
  .meta({ id: 'BillingActionAnswer' })

export type BillingAnswer = z.input<typeof billingAnswer>
export type ActionAnswer = z.input<typeof actionAnswer>
