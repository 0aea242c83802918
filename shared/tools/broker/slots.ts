import {
  expiryFor,
  releaseSlot,
  acquireSlot,
  type SlotNames,
  type Slots,
  slotsIn,
  sweepPart,
} from '#shared/platform/slots/parts.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import type { Item, Write } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { brokerSlotRows } from './rows.ts'

/** The maximum number of concurrent long uses by an owner's agents. */
export const maxLongUses = 10

const names: SlotNames = { committed: 'committed', held: 'held_' }

/** The time that an owner's row is stored after its last slot has expired. */
const retentionSeconds = 86_400

/**
 * Claims one of an owner's slots for a long use, in one transaction with its record. If the process dies, the slot is
 * released after 16 to 21 minutes.
 * @returns its expiry in epoch seconds; undefined, without a write, if all slots are in use
 */
export async function claimSlot(store: UserStore, record: Write): Promise<number | undefined> {
  const sk = brokerSlotRows.sk({})
  let slots = slotsOf(await store.get(sk))
  return retryOptimistically(async () => {
    const now = Date.now()
    const expiry = expiryFor(now)
    const expired = sweepPart(names, slots, now)
    const left = -(expired.add[names.committed] ?? 0)
    if (total(slots) - left >= maxLongUses) return undefined
    const acquired = acquireSlot(names, { amount: 1, expiry })
    const room = maxLongUses + left
    const refusals = await tryCommit(store, {
      record,
      slot: store.write.update(sk, {
        set: { expiresAt: expiry + retentionSeconds },
        add: { ...acquired, [names.committed]: 1 - left },
        remove: expired.remove,
        if: [
          '(attribute_not_exists(#committed) OR #committed < :room)',
          ...expired.conditions,
        ].join(' AND '),
        values: { room, ...expired.values },
      }),
    })
    if (refusals === undefined) return expiry
    slots = slotsOf(refusals.slot?.item)
    return overtaken
  })
}

/** Releases a slot, in one transaction with the record of its use. An expired slot may already be released. */
export async function freeSlot(store: UserStore, record: Write, expiry: number): Promise<void> {
  const sk = brokerSlotRows.sk({})
  let slots: Slots | undefined
  await retryOptimistically(async () => {
    const { conditions, ...part } = releaseSlot(names, { amount: 1, expiry }, slots, Date.now())
    const update = { ...part, if: conditions.join(' AND ') }
    const refusals = await tryCommit(store, {
      record,
      slot: conditions.length === 0 ? undefined : store.write.update(sk, update),
    })
    if (refusals === undefined) return undefined
    slots = slotsOf(refusals.slot?.item)
    return overtaken
  })
}

function slotsOf(item: Item | undefined): Slots {
  return item === undefined ? new Map() : slotsIn(brokerSlotRows.parse(item), names)
}

function total(slots: Slots): number {
  return [...slots.values()].reduce((sum, amount) => sum + amount, 0)
}
