import * as z from 'zod'
import { once } from './once.ts'

/** The parts of a price: USD per million tokens of input and output, and USD per unit. */
const priceParts = ['input', 'output', 'image', 'second', 'character', 'search'] as const

export type PricePart = (typeof priceParts)[number]

/** Rounded to 12 digits after the point, because the table cannot store numbers extremely close to zero. */
const amount = () =>
  z
    .number()
    .min(0)
    .max(1_000_000)
    .overwrite((number) => Math.round(number * 1e12) / 1e12)

/** The choice of providers in requests, API keys and PLAN_ROUTING: contract.md 15. */
export const routingForm = once(() => {
  const provider = z.string().trim().min(1).max(40)
  const usd = amount().exactOptional()
  return z
    .strictObject({
      order: z
        .array(provider)
        .min(1)
        .max(20)
        .overwrite((names) => [...new Set(names)])
        .exactOptional()
        .describe('The names of the providers to try first, in this order'),
      weights: z
        .record(provider, amount())
        .refine((weights) => Object.keys(weights).length <= 20, 'weights: at most 20 providers')
        .exactOptional()
        .describe('The share of calls by the name of the provider; other providers follow'),
      maxPriceUsd: z
        .strictObject(
          Object.fromEntries(priceParts.map((part) => [part, usd])) as Record<
            PricePart,
            typeof usd
          >,
        )
        .exactOptional()
        .describe(
          'The highest price: USD per million tokens (input, output), or USD per unit (image, second, character, search)',
        ),
    })
    .meta({ id: 'Routing' })
})

export type Routing = z.output<ReturnType<typeof routingForm>>
