import type { ComponentChildren } from 'preact'
import { useAttempt } from '../../ui/attempt.ts'
import { Fault } from '../../ui/fault.tsx'
import type { Scope } from './scope-words.ts'
import { Scopes } from './scopes.tsx'
import './connect.css'

interface DecisionProps {
  /** The client's own name. */
  clientName: string
  scopes: readonly Scope[]
  onDecide(approve: boolean): Promise<void>
  children: ComponentChildren
}

/** Shows the scopes that a client requests, and the two buttons. The platform accepts one decision. */
export function Decision({ clientName, scopes, onDecide, children }: DecisionProps) {
  const { busy, error, attempt } = useAttempt()

  const decide = (approve: boolean) => attempt(() => onDecide(approve))

  return (
    <>
      <p>
        <strong>{clientName}</strong> requests access to your account. The program chose this name
        itself.
      </p>
      {children}
      <section class="stack" aria-labelledby="may">
        <h2 id="may">Requested permissions</h2>
        <Scopes of={scopes} />
      </section>
      <Fault error={error} />
      <div class="decision">
        <button
          type="button"
          class="button primary"
          aria-disabled={busy !== undefined}
          onClick={() => decide(true)}
        >
          Approve
        </button>
        <button
          type="button"
          class="button"
          aria-disabled={busy !== undefined}
          onClick={() => decide(false)}
        >
          Deny
        </button>
      </div>
    </>
  )
}
