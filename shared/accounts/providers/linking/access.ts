import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { ProviderName } from '../provider.ts'
import { accessRows } from './rows.ts'

/** Returns whether a user may sign in with a provider: true until an event disables it. */
export async function canSignIn(
  { table }: { table: Table },
  { userId, provider }: { userId: string; provider: ProviderName },
): Promise<boolean> {
  const row = await userStore(table, userId).get(accessRows.sk({ provider }))
  return row === undefined || !accessRows.parse(row).disabled
}

export interface AccessDecision {
  userId: string
  provider: ProviderName
  disabled: boolean
  /** The position of the event among its user's events, as a text that sorts by time. */
  order: string
}

/**
 * Disables or enables sign-in with a provider, unless a later event has already decided. A repeat changes nothing.
 * The same transaction records it in the audit as a change of the link.
 */
export async function setAccess(
  ctx: AuditContext,
  { userId, provider, disabled, order }: AccessDecision,
): Promise<'set' | 'outdated'> {
  const row = userStore(ctx.table, userId).row(accessRows.sk({ provider }))
  const set = await changeItem(row, async (item) => {
    const current = item && accessRows.parse(item)
    if (current !== undefined && current.order > order) return undefined
    const wasDisabled = current?.disabled ?? false
    return {
      put: { disabled, order },
      condition:
        current === undefined
          ? absent()
          : { if: '#order = :order AND #disabled = :disabled', values: { ...current } },
      also: {
        audit:
          wasDisabled === disabled
            ? undefined
            : await audit(ctx, 'provider.linked', {
                userId,
                target: provider,
                before: { provider, disabled: wasDisabled },
                after: { provider, disabled },
              }),
      },
    }
  })
  return set ? 'set' : 'outdated'
}
