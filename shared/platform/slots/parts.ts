import type { Item, Update } from '../table/port.ts'

/**
 * The names of the attributes with the amounts of running calls. `committed` is the sum that is compared with the
 * limit. The other attributes contain the amounts by expiry: all holds that expire within the same few minutes share an
 * attribute `<prefix><epoch second>`. The row therefore stays small for any number of calls, and the amount of a
 * crashed call is released when its slot expires.
 */
export interface SlotNames {
  committed: string
  held: string
}

/** The reserved amounts by slot attribute. */
export type Slots = ReadonlyMap<string, number>

/** The parts of an update that concern one kind of holds. */
export type SlotPart = Required<Pick<Update, 'add' | 'remove' | 'values'>> & {
  conditions: string[]
}

/** The minimum duration of a hold, and the length of a slot. All holds that expire in one slot share one attribute. */
export interface Lease {
  holdSeconds: number
  slotSeconds: number
}

/** Longer than any function can run (900 s), so that an older hold was left by a crash. */
const longest: Lease = { holdSeconds: 960, slotSeconds: 300 }

/**
 * The maximum number of swept slots, because an update expression has a size limit. The next settlement sweeps the
 * rest.
 */
const maxSweep = 20

/** Returns the expiry of a call that begins now, in epoch seconds: the end of a slot. */
export function expiryFor(now: number, { holdSeconds, slotSeconds } = longest): number {
  return Math.ceil((now / 1000 + holdSeconds) / slotSeconds) * slotSeconds
}

/** Returns the slots in a row. */
export function slotsIn(row: Readonly<Record<string, unknown>> | Item, { held }: SlotNames): Slots {
  const slots = Object.entries(row).filter(([name]) => name.startsWith(held))
  return new Map(slots.map(([name, amount]) => [name, Number(amount)]))
}

/** Returns the update parts for a call that begins. */
export function acquireSlot(
  { committed, held }: SlotNames,
  { amount, expiry }: { amount: number; expiry: number },
): Record<string, number> {
  return { [committed]: amount, [`${held}${expiry}`]: amount }
}

/** Returns an update that moves a hold to another expiry. It is refused if the hold has expired and was swept. */
export function moveSlot(
  { held }: SlotNames,
  { from, to }: { from: number; to: number },
): Required<Pick<Update, 'add' | 'if' | 'values'>> {
  return {
    add: { [`${held}${from}`]: -1, [`${held}${to}`]: 1 },
    if: `#${held}${from} >= :one`,
    values: { one: 1 },
  }
}

/**
 * Releases the hold of a call, and sweeps expired slots of other calls.
 * @param slots as last read; undefined if the row was not read
 */
export function releaseSlot(
  names: SlotNames,
  { amount, expiry }: { amount: number; expiry: number },
  slots: Slots | undefined,
  now: number,
): SlotPart {
  const slot = `${names.held}${expiry}`
  // A missing hold has expired and was swept, so it need not be released.
  const holds = amount > 0 && (slots === undefined || (slots.get(slot) ?? 0) >= amount)
  const part = sweepPart(names, slots, now, slot)
  if (!holds) return part
  return {
    add: {
      ...part.add,
      [names.committed]: (part.add[names.committed] ?? 0) - amount,
      [slot]: -amount,
    },
    remove: part.remove,
    conditions: [`#${slot} >= :${slot}`, ...part.conditions],
    values: { [slot]: amount, ...part.values },
  }
}

/**
 * Removes expired slots and the amounts that crashed calls left in them; usually there are no such amounts. @param but
 * the attribute of a slot to keep
 */
export function sweepPart(
  names: SlotNames,
  slots: Slots | undefined,
  now: number,
  but?: string,
): SlotPart {
  const swept = [...(slots ?? [])]
    .filter(([name]) => name !== but && Number(name.slice(names.held.length)) * 1000 <= now)
    .slice(0, maxSweep)
  const left = swept.reduce((sum, [, amount]) => sum + amount, 0)
  return {
    add: swept.length === 0 ? {} : { [names.committed]: -left },
    remove: swept.map(([name]) => name),
    conditions: swept.map(([name]) => `#${name} = :${name}`),
    values: Object.fromEntries(swept),
  }
}

/** Returns an update that only sweeps; undefined if there is nothing to sweep. */
export function sweepOf(parts: readonly SlotPart[]): Update | undefined {
  const { conditions, ...rest } = merged(parts)
  return conditions.length === 0 ? undefined : { ...rest, if: conditions.join(' AND ') }
}

/** Combines the parts of several kinds of holds. */
export function merged(parts: readonly SlotPart[]): SlotPart {
  return {
    add: Object.assign({}, ...parts.map(({ add }) => add)) as SlotPart['add'],
    remove: parts.flatMap(({ remove }) => remove),
    conditions: parts.flatMap(({ conditions }) => conditions),
    values: Object.assign({}, ...parts.map(({ values }) => values)) as SlotPart['values'],
  }
}
