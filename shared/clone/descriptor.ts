import type * as z from 'zod'
import { format } from '../money/amount.ts'
import { clonePrice, type cloneService } from './schema.ts'

/** contract.md 7: what a client must know to pay for a clone. */
export const cloneDescriptor: z.input<typeof cloneService> = {
  service: 'agent-clone',
  version: '1.0.0',
  protocol: 'x402-tempo',
  clonePrice: `${format(clonePrice, 1)} pathUSD`,
  chainId: 4217,
}
