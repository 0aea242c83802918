import * as z from 'zod'
import { entity } from '../../platform/table/entity.ts'
import { shardOf } from '../../platform/table/shard.ts'

const saleShards = 4

/** Every partition of the index with the sales that are not settled. */
export const salePartitions = Array.from({ length: saleShards }, (_, shard) => `sales#${shard}`)

/** The sale of an agent's answer, in the books of the agent's owner. In the index until it is settled or void. */
export const saleRows = entity({
  name: 'sale of an answer',
  pk: 'user#{userId}',
  sk: 'sale#{agentId}#{payment}',
  gsi1: { pk: 'sales#{shard}', sk: '{due}#{payment}' },
  schema: () =>
    z.object({
      userId: z.string(),
      agentId: z.string(),
      /** Names the claim of the payment. */
      payment: z.string(),
      /** `settling`: the facilitator was asked, and the outcome is not noted. `void`: the payment was not settled. */
      state: z.enum(['settling', 'settled', 'void']),
      /** Epoch seconds since when its settlement is asked for. */
      since: z.number(),
      /** Epoch seconds from which on the payment cannot be settled any more. */
      validBefore: z.number(),
      /** The header PAYMENT-SIGNATURE, to ask what became of the payment; absent once that is known. */
      signed: z.string().optional(),
      /** Names the turn that gave the answer; absent if an earlier release asked the agent. */
      turn: z.string().optional(),
      /** X402_PLATFORM_SHARE when the answer was sold. */
      sharePercent: z.number(),
      /** What was paid. This and all amounts below: millionths of a US dollar. */
      price: z.number(),
      /** What the tokens of the turn cost, without what the owner has paid for otherwise: own keys, drawn credits. */
      tokenCost: z.number(),
      /** The platform's share. Set, with the next two, when the sale is settled. */
      share: z.number().optional(),
      /** What the owner earned. */
      net: z.number().optional(),
      /** By how much share and tokens exceed the price; the platform bears it. */
      shortfall: z.number().optional(),
      /** The net was not credited because the owner's account is deleted. */
      ownerless: z.literal(true).optional(),
    }),
})

export type Sale = z.output<ReturnType<typeof saleRows.declared.schema>>

/** The place in the index of a sale that the schedule looks at from `at` (epoch milliseconds) on. */
export function dueIndex(payment: string, at: number) {
  return {
    gsi1pk: salePartitions[shardOf(payment, saleShards)],
    gsi1sk: `${new Date(at).toISOString()}#${payment}`,
  }
}

/** The index keys and the payer's authorization, which a sale loses when its outcome is known. */
export const untilKnown = ['gsi1pk', 'gsi1sk', 'signed'] as const
