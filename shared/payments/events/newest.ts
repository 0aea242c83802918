import { isDeepStrictEqual } from 'node:util'
import { planOfPrice } from '../catalogue.ts'
import type { EventContext } from '../context.ts'
import type { ProviderSubscription } from '../rows.ts'
import { type Word, wordOf } from './word.ts'

export type Said = Pick<ProviderSubscription, 'seen' | 'priced' | 'disputes'>

/** Where an event stands among those of its subscription: `created`, and within one second the rank of its kind. */
interface Place {
  at: number
  rank: number
}

/** Of events of one second the later kind is the newer. A payment ends what `created` began, and `updated` follows it. */
export const ranks = { created: 0, paid: 1, updated: 2, deleted: 3 } as const

/**
 * What is known of a subscription after an event. It does not depend on the order in which events come: of its state the newest
 * event's word counts, of its plan that of the newest event with a plan's price.
 * @param known `place` of the event, and `row` with what was known before it
 * @returns undefined where the event adds nothing
 */
export async function newest(
  ctx: EventContext,
  said: Word,
  { place, row }: { place: Place; row: Said | undefined },
): Promise<Said | undefined> {
  const before: Said = {
    ...(row?.seen !== undefined && { seen: row.seen }),
    ...(row?.priced !== undefined && { priced: row.priced }),
  }
  const first = after(before, said, place)
  const meetsAnother = row?.seen !== undefined && compare(place, row.seen) === 0
  if (isDeepStrictEqual(first, before)) return undefined
  return meetsAnother ? after(before, await laterOf(ctx, said), place) : first
}

function after({ seen, priced }: Said, { id: _, pence, ...word }: Word, place: Place): Said {
  const plan = planOfPrice(pence)
  const isNewest = seen === undefined || follows(place, seen)
  const isPriced = priced === undefined || follows(place, priced)
  const nextPriced = plan !== undefined && isPriced ? { plan, ...place } : priced
  return {
    seen: isNewest ? { ...word, ...place } : seen,
    ...(nextPriced !== undefined && { priced: nextPriced }),
  }
}

/** A subscription that is over stays so, also where its payment was told of with a later time. */
function follows(place: Place, last: Place): boolean {
  if (place.rank === ranks.deleted && last.rank === ranks.paid) return true
  if (place.rank === ranks.paid && last.rank === ranks.deleted) return false
  return compare(place, last) >= 0
}

function compare(one: Place, other: Place): number {
  return one.at - other.at || one.rank - other.rank
}

/** Of two changes in one second nothing but the provider tells the later; where it does not, the one that came does. */
async function laterOf({ provider, log }: EventContext, said: Word): Promise<Word> {
  try {
    const now = wordOf(await provider?.findSubscription(said.id))
    return now?.id === said.id ? now : said
  } catch (error) {
    log.warn('the provider was not asked which of two events is the later', { id: said.id, error })
    return said
  }
}
