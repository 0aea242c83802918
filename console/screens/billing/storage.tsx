import { useAttempt } from '../../ui/attempt.ts'
import { Fault } from '../../ui/fault.tsx'
import { manageStorage } from './checkout.ts'

/** A notice for users who pay for storage. Empty for others, because storage is not on sale yet. */
export function Storage({ gb }: { gb: number }) {
  const { busy, error, attempt } = useAttempt()
  if (gb === 0) return null
  return (
    <section class="card" aria-labelledby="storage">
      <h2 id="storage">Storage</h2>
      <Fault error={error} />
      <p>
        You pay for {gb} GB. Agents do not keep files yet, so it has no effect. You can cancel it at
        any time.
      </p>
      <button
        type="button"
        class="button"
        aria-disabled={busy !== undefined}
        data-busy={busy === 'storage'}
        onClick={() => attempt(manageStorage, 'storage')}
      >
        Cancel storage
      </button>
    </section>
  )
}
