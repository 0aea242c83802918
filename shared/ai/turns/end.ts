import {
  type Deferred,
  definedParts,
  type Part,
  type Parts,
  type Refusals,
} from '#shared/platform/table/commit.ts'
import type { Write } from '#shared/platform/table/port.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { type Turn, turnRows } from './rows.ts'
import { nameOf } from './turn.ts'

export type TurnEnd = Pick<Turn, 'answer' | 'tokens' | 'pieces' | 'error'> & {
  state: 'finished' | 'failed' | 'cancelled'
}

/**
 * Returns the part that ends a turn, for the transaction that stores its answer. The first end counts. If the turn has
 * ended or never started, the other parts of the transaction are written without it.
 * @param also additional writes of the end, such as its webhook events
 */
export function endPart(
  store: UserStore,
  { id, end, also }: { id: string; end: TurnEnd; also: Parts },
  now = Date.now(),
): Part {
  const write = store.write.update(turnRows.sk({ name: nameOf(id) }), {
    set: { ...end, endedAt: isoOf(now) },
    if: '#state = :active',
    values: { active: 'active' },
  })
  return new EndOfTurn(write, also)
}

class EndOfTurn implements Deferred {
  readonly #end: Write
  readonly #also: Parts

  constructor(end: Write, also: Parts) {
    this.#end = end
    this.#also = also
  }

  async commit<P extends Parts>(
    parts: P,
    write: (parts: Parts) => Promise<Refusals<Parts> | undefined>,
  ): Promise<Refusals<P> | undefined> {
    const others = Object.fromEntries(definedParts(parts).filter(([, part]) => part !== this))
    const refusals = await write({ ...this.#also, ...others, endOfTurn: this.#end })
    if (refusals?.['endOfTurn'] === undefined) return refusals as Refusals<P> | undefined
    if (Object.keys(others).length === 0) return undefined
    return (await write(others)) as Refusals<P> | undefined
  }
}
