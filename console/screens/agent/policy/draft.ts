import { useState } from 'preact/hooks'
import type { Policy } from '../../../../clients/typescript/index.ts'
import { InputError } from '../../../base/words.ts'
import { agents } from '../client.ts'

export interface Draft {
  /** The policy with the changes that are not saved yet. */
  policy: Policy
  /** The policy that the changes began with. Undefined without changes. */
  from: Policy | undefined
  /** The saved policy has changed since the changes began. */
  isBehind: boolean
  change(policy: Policy): void
  /** Keeps the shown policy, even if the saved one changes, until the next change. */
  hold(): void
  discard(): void
  /** @throws InputError if the saved policy has changed and the page has not shown that yet */
  save(): Promise<void>
}

/**
 * Holds the changes of a policy until they are saved. Without changes, the saved policy is shown.
 * @param onSeen receives the saved policy if a request returns it
 */
export function useDraft(agentId: string, saved: Policy, onSeen: (policy: Policy) => void): Draft {
  const [own, setOwn] = useState<{ from: Policy; policy: Policy }>()
  const policy = own?.policy ?? saved
  return {
    policy,
    from: own?.from,
    isBehind: own !== undefined && !isSame(own.from, saved),
    change(policy) {
      const from = own?.from ?? saved
      setOwn(isSame(from, policy) ? undefined : { from, policy })
    },
    hold: () => setOwn(own ?? { from: saved, policy: saved }),
    discard: () => setOwn(undefined),
    async save() {
      const current = await agents.policy.get(agentId)
      if (!isSame(current, saved)) {
        onSeen(current)
        throw new InputError('The policy was changed elsewhere. Save again to replace it.')
      }
      onSeen(await agents.policy.set(agentId, policy))
      setOwn(undefined)
    },
  }
}

function isSame(a: Policy, b: Policy): boolean {
  return JSON.stringify([a.preset, a.rules]) === JSON.stringify([b.preset, b.rules])
}

/**
 * Returns whether a change concerns payments, so that a key may need the scope `money` for it. The platform decides
 * whether the key needs it.
 */
export function concernsPayments(before: Policy, after: Policy): boolean {
  const payments = ({ preset, rules }: Policy) =>
    JSON.stringify([preset, rules.filter(({ action }) => action === 'payment.send')])
  return payments(before) !== payments(after)
}
