import { useRef, useState } from 'preact/hooks'
import { platform, PlatformError } from '../../../base/platform.ts'
import { withPassword } from '../../../base/prove.ts'
import { InputError, words } from '../../../base/words.ts'
import { useAttempt } from '../../../ui/attempt.ts'
import { Fault } from '../../../ui/fault.tsx'
import { FieldError, useFieldFaults } from '../../../ui/field-faults.tsx'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { amountIn } from './amounts.ts'
import { withdrawals } from './client.ts'

interface WithdrawFormProps {
  agentId: string
  /** Receives the id of the withdrawal; undefined if it is not known whether the platform has it. */
  onSent(id: string | undefined): void
  notice: string | undefined
}

/** Sends USDC of an agent's wallet to an address. */
export function WithdrawForm({ agentId, onSent, notice }: WithdrawFormProps) {
  const [round, setRound] = useState(0)
  const [isStale, setIsStale] = useState(false)
  /** The last request if its outcome is unknown. A retry with the same key is paid once. */
  const unresolved = useRef<{ request: string; idempotencyKey: string } | undefined>(undefined)
  const { root, at, send } = useFieldFaults()
  const signOut = useAttempt()

  async function withdraw({ to = '', amount, currentPassword = '' }: Record<string, string>) {
    setIsStale(false)
    const body = {
      agentId,
      to: to.trim(),
      amount: amountIn(amount),
      ...(currentPassword !== '' && { currentPassword }),
    }
    const request = JSON.stringify(body)
    if (unresolved.current?.request !== request)
      unresolved.current = { request, idempotencyKey: crypto.randomUUID() }
    const { idempotencyKey } = unresolved.current
    try {
      const { id } = await withPassword(() => withdrawals.create(body, { idempotencyKey }))
      unresolved.current = undefined
      onSent(id)
      setRound((before) => before + 1)
    } catch (error) {
      if (isUnknown(error)) {
        onSent(undefined)
        throw new InputError(
          `${words(error)} If the list shows no withdrawal, send it again unchanged: it is paid once.`,
        )
      }
      unresolved.current = undefined
      if (error instanceof InputError) throw new FieldError('currentPassword', error.message)
      if (!(error instanceof PlatformError) || error.code !== 'SESSION_REQUIRED') throw error
      setIsStale(true)
      throw new FieldError(
        'currentPassword',
        'You signed in more than 15 minutes ago. Enter your current password, or sign in again.',
      )
    }
  }

  return (
    <div ref={root}>
      <Form
        key={round}
        again={round > 0}
        action="Withdraw"
        onSend={(values) => send(() => withdraw(values))}
        aside={
          <span class="meta" role="status">
            {notice}
          </span>
        }
      >
        <Field {...at('to', 'To address')} autocomplete="off" placeholder="0x…" />
        <div class="columns">
          <Field {...at('amount', 'Amount in USDC')} inputMode="decimal" autocomplete="off" />
          <Field
            {...at(
              'currentPassword',
              'Current password',
              'Only needed if you signed in more than 15 minutes ago.',
            )}
            type="password"
            autocomplete="current-password"
          />
        </div>
        {isStale && (
          <div class="field">
            <button
              type="button"
              class="button"
              onClick={() =>
                signOut.attempt(async () => {
                  await platform.auth.signOut()
                  // Without a session, the next request leads to the sign-in page, which returns here with the input.
                  onSent(undefined)
                })
              }
            >
              Sign in again
            </button>
            <Fault error={signOut.error} />
          </div>
        )}
      </Form>
    </div>
  )
}

/** Returns whether the platform may have accepted a request that failed. */
function isUnknown(error: unknown): boolean {
  if (!(error instanceof PlatformError)) return false
  const { status, details } = error
  if (status === undefined || status === 409) return true
  return status >= 500 && details['missing'] === undefined
}
