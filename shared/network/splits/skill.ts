import * as z from 'zod'
import { queuedSplit, splitTerms, splitView } from './schema.ts'

const splitId = z.union([z.int().positive(), z.string().regex(/^[1-9]\d{0,14}$/)], {
  error: 'splitId must be the number of a split',
})

/** contract.md 9, instant-split. */
export const instantSplitRequest = z
  .discriminatedUnion(
    'action',
    [
      splitTerms.extend({ action: z.literal('create') }),
      z.object({ action: z.literal('status'), splitId }),
      z.object({ action: z.literal('retry'), splitId }),
      z.object({ action: z.literal('list') }),
    ],
    { error: 'action must be one of create, status, retry, list' },
  )
  .meta({ id: 'InstantSplitAction' })

const splitList = z.object({ splits: z.array(splitView) })

export const instantSplitAnswer = z.union([splitList, splitView, queuedSplit])

export const instantSplit = {
  skill: 'instant-split',
  version: '1.0.0',
  description: 'Pays one total to up to fifty recipients from an agent’s wallet, each exactly once',
  currency: 'USDC' as const,
  actions: [
    {
      name: 'create',
      description: 'Pay totalAmount from the wallet of agentId to recipients by their shares',
    },
    { name: 'status', description: 'The state of each recipient, by splitId' },
    { name: 'retry', description: 'Pay the unpaid recipients of a failed split again, by splitId' },
    { name: 'list', description: 'Your newest hundred splits, newest first' },
  ],
}
