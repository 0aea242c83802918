import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { dueIndex } from '#shared/platform/work/due-index.ts'

/** The index of sales that are not settled. */
export const salesDue = dueIndex('sales', 4)

/** The sale of an agent's answer, stored for the agent's owner. It is in the index until it is settled or void. */
export const saleRows = entity({
  name: 'sale of an answer',
  pk: 'user#{userId}',
  sk: 'sale#{agentId}#{payment}',
  gsi1: { pk: 'sales#{shard}', sk: '{due}#{payment}' },
  schema: () =>
    z.object({
      userId: z.string(),
      agentId: z.string(),
      /** The id of the payment's claim. */
      payment: z.string(),
      /**
       * `settling`: the settlement was requested, and its outcome is not recorded. `void`: the payment was not settled.
       */
      state: z.enum(['settling', 'settled', 'void']),
      /** Epoch seconds of the settlement request. */
      since: z.number(),
      /** Epoch seconds of the first settlement request, if the sale was opened again after it was void. */
      firstSince: z.number().optional(),
      /** True if the payment was settled, but a cost of the turn was not recorded yet. */
      paid: z.literal(true).optional(),
      /** Epoch seconds after which the payment cannot be settled. */
      validBefore: z.number(),
      /**
       * The header PAYMENT-SIGNATURE, which is used to look up the payment's outcome and removed when the outcome is
       * known.
       */
      signed: z.string().optional(),
      /** The id of the turn with the answer. Absent if an earlier release sent the request to the agent. */
      turn: z.string().optional(),
      /** X402_PLATFORM_SHARE at the time of the sale. */
      sharePercent: z.number(),
      /** The price. This and all amounts below are in millionths of a US dollar. */
      price: z.number(),
      /** The cost of the turn's tokens, without tokens that the owner paid for separately (own keys, credits). */
      tokenCost: z.number(),
      /** The platform's share. This and the next two fields are set when the sale is settled. */
      share: z.number().optional(),
      /** The owner's earnings. */
      net: z.number().optional(),
      /** The difference if share and tokens exceed the price. The platform pays it. */
      shortfall: z.number().optional(),
      /** True if the net was not credited because the owner's account is deleted. */
      ownerless: z.literal(true).optional(),
      /** Epoch seconds. Set when the sale is settled or void. */
      expiresAt: z.number().optional(),
    }),
})

export type Sale = z.output<ReturnType<typeof saleRows.declared.schema>>

/**
 * The retention of a settled sale in seconds. It is a business record of the platform and the agent's owner, which HMRC
 * requires for six years from the end of the financial year
 * (https://www.gov.uk/running-a-limited-company/company-and-accounting-records).
 */
export const settledSaleSeconds = 7 * 366 * 86_400

/** The index keys and the payer's authorization, which are removed when the outcome is known. */
export const pendingAttributes = ['gsi1pk', 'gsi1sk', 'signed', 'paid'] as const
