import { useRef, useState } from 'preact/hooks'
import { useAttempt } from '../../../ui/attempt.ts'
import { Fault } from '../../../ui/fault.tsx'
import { concernsPayments, type Draft } from './draft.ts'

/** Saves or discards the changes of a policy. */
export function SaveBar({ draft }: { draft: Draft }) {
  const { policy, from, isBehind } = draft
  const { busy, error, setError, attempt } = useAttempt()
  const [saved, setSaved] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const isIdle = from === undefined

  const save = () =>
    attempt(async () => {
      await draft.save()
      setSaved(true)
    })

  return (
    <div class="card form">
      {isBehind && (
        <p class="news" role="status">
          The policy was changed elsewhere. Saving replaces that change; discarding your changes
          shows it.
        </p>
      )}
      <Fault error={error} />
      <div class="row">
        <button
          ref={button}
          type="button"
          class="button primary"
          aria-disabled={isIdle || busy !== undefined}
          data-busy={busy !== undefined}
          onClick={() => isIdle || save()}
        >
          Save policy
        </button>
        {!isIdle && (
          <button
            type="button"
            class="button"
            onClick={() => {
              setError(undefined)
              draft.discard()
              button.current?.focus()
            }}
          >
            Discard changes
          </button>
        )}
        <p class="meta" role="status">
          {isIdle
            ? saved && 'Saved. It decides the agent’s next action.'
            : 'Your changes are not saved yet.'}
        </p>
      </div>
      {from !== undefined && concernsPayments(from, policy) && (
        <p class="hint">
          This changes what the agent may pay. You can save it; a program with a key needs the scope{' '}
          <code>money</code> to allow more payments.
        </p>
      )}
    </div>
  )
}
