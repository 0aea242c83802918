import type * as z from 'zod'
import { format } from '#shared/money/amounts/amount.ts'
import { clonePrice, type cloneService } from './schema.ts'

/** The description of the clone service for clients: contract.md 7. */
export const cloneDescriptor: z.input<typeof cloneService> = {
  service: 'agent-clone',
  version: '1.0.0',
  protocol: 'x402-tempo',
  clonePrice: `${format(clonePrice, 1)} pathUSD`,
  chainId: 4217,
}
