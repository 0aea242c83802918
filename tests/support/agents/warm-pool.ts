import { expect } from 'vitest'
import { isReady } from '#shared/agents/fleet/warm-pool/ready.ts'
import type { WarmContainer } from '#shared/agents/fleet/warm-pool/rows.ts'
import { waitingContainers } from '#shared/agents/fleet/warm-pool/waiting.ts'
import { eventually, untilFound } from '../clock/eventually.ts'
import type { Fleet } from './fleet.ts'

/**
 * Returns the waiting containers of the smallest plan in a fleet.
 * @param fleet called later, once the fleet has started
 */
export function warmPool(fleet: () => Fleet) {
  const waiting = () => waitingContainers(fleet().table, 'label')
  return {
    waiting,

    /** Waits until this number of containers is ready for an agent. */
    async untilReady(count = 1): Promise<WarmContainer[]> {
      await fleet().keepWarm({ WARM_CONTAINERS: { label: count } })
      return untilFound(async () => {
        await fleet().deliver()
        const ready = (await waiting()).filter((one) => isReady(one, Date.now()))
        return ready.length === count && ready
      })
    },

    async untilEmpty(): Promise<void> {
      await eventually(async () => {
        // A container that reports itself in the meantime is dropped by the next check.
        await fleet().keepWarm({ WARM_CONTAINERS: undefined })
        await fleet().deliver()
        expect(await waiting()).toEqual([])
      })
    },

    statusOf: async (arn: string | undefined) =>
      (await fleet().containers.describe(String(arn)))?.status,
  }
}
