import { toHex } from 'viem'
import { expect } from 'vitest'
import { type Payer, recipients, type SplitWorld } from './splits.ts'

export type SplitSteps = ReturnType<typeof stepsOf>

/** Returns the steps on the chain that tests of splits share, with their assertions. */
export function stepsOf(world: SplitWorld) {
  return {
    mine: (blocks = 1) => world.anvil.request('anvil_mine', toHex(blocks)),

    automine: (on: boolean) => world.anvil.request('evm_setAutomine', on),

    /** Creates a split for three recipients and looks at it once, which signs and sends everything. */
    async submitted(payer: Payer) {
      const to = recipients(3)
      const splitId = await world.create(payer, { totalAmount: '3', recipients: to })
      await world.next()
      const split = await world.split(splitId)
      expect(split.recipients.map(({ status }) => status)).toEqual(to.map(() => 'submitted'))
      return { splitId, to: to.map(({ address }) => address), split }
    },

    async expectPaid(to: readonly string[], each = 1_000_000n) {
      for (const address of to) expect(await world.balance(address)).toBe(each)
    },
  }
}
