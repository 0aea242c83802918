import { agentAlive, agentSortKey } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { notFound, scopeRequired } from '#shared/platform/errors.ts'
import { mayMoveMoney } from '#shared/platform/identity/actor.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Mandate, mandateIn, microOf } from './mandate.ts'
import { mandateRows } from './rows.ts'
import type { MandateView, NewMandate } from './schema.ts'
import { showMandate } from './show.ts'

/**
 * Replaces an agent's mandate. It applies to the next hold and does not change earlier ones.
 * @throws PlatformError 404; 403 SCOPE_REQUIRED if a key without the scope `money` allows more than the mandate
 * stored at the time of the write
 */
export async function setMandate(
  ctx: UserContext,
  { agentId, mandate }: { agentId: string; mandate: NewMandate },
): Promise<MandateView> {
  const { owner } = ctx
  await requireAgent(ctx, { agentId, owner })
  const store = userStore(ctx.table, owner)
  await changeItem(
    store.row(mandateRows.sk({ agentId })),
    async (item) => {
      const before = mandateIn(item)
      if (!mayMoveMoney(ctx.actor.user) && allowsMore(before, mandate)) throw scopeRequired('money')
      return {
        put: mandateRows.attributes({ ...mandate, revision: newSeed() }),
        condition:
          before === undefined
            ? absent()
            : { if: '#revision = :revision', values: { revision: before.revision } },
        also: {
          agent: store.write.check(agentSortKey(agentId), agentAlive),
          audit: await audit(ctx, 'mandate.changed', {
            userId: owner,
            target: agentId,
            before: before && shownMandate(before),
            after: mandate,
          }),
        },
      }
    },
    { errors: { agent: () => notFound('Agent') } },
  )
  return showMandate(ctx.table, { agentId, mandate })
}

/** Returns the fields of a mandate that its owner sets. */
export function shownMandate({ revision: _, ...mandate }: Mandate): NewMandate {
  return mandate
}

/** Returns whether a new mandate allows a payment that the current one refuses or sends for approval. */
function allowsMore(before: NewMandate | undefined, next: NewMandate): boolean {
  if (before === undefined) return true
  return (
    (['perPaymentUsd', 'perDayUsd', 'perMonthUsd'] as const).some(
      (name) => microOf(next[name]) > microOf(before[name]),
    ) ||
    isWider(before.hosts, next.hosts) ||
    isWider(before.payees, next.payees) ||
    isHigher(before.askAboveUsd, next.askAboveUsd, microOf) ||
    isHigher(before.validUntil, next.validUntil, (at) => BigInt(Date.parse(at)))
  )
}

function isWider(before: readonly string[] | null, next: readonly string[] | null): boolean {
  return before !== null && (next === null || next.some((name) => !before.includes(name)))
}

/** Null is no limit. */
function isHigher(
  before: string | null,
  next: string | null,
  of: (text: string) => bigint,
): boolean {
  return before !== null && (next === null || of(next) > of(before))
}
