import { useState } from 'preact/hooks'
import { decisions } from '../../base/decisions.ts'
import { platform, PlatformError } from '../../base/platform.ts'
import { Area } from '../../ui/area.tsx'
import { useAttempt } from '../../ui/attempt.ts'
import { Fault } from '../../ui/fault.tsx'
import { Segments } from '../../ui/segments.tsx'

type Remember = 'once' | 'hour' | 'always'

const remembers: readonly { value: Remember; label: string }[] = [
  { value: 'once', label: 'Only this once' },
  { value: 'hour', label: 'For an hour' },
  { value: 'always', label: 'Always' },
]

const effects: Readonly<Record<Remember, string>> = {
  once: 'The next request asks again.',
  hour: 'The same action and target are approved for an hour. A denial holds once or always.',
  always: 'Becomes a rule of the agent’s policy for exactly this action and target.',
}

/** Approves or denies a request. The platform accepts one decision. @param onDecided also if another person decided first */
export function DecisionForm({ id, onDecided }: { id: string; onDecided(): void }) {
  const [remember, setRemember] = useState<Remember>('once')
  const [note, setNote] = useState('')
  const { busy, error, attempt } = useAttempt()

  const decide = (decision: 'approve' | 'deny') =>
    attempt(async () => {
      try {
        await platform.approvals.decide(id, {
          decision,
          ...(remember !== 'once' && { remember }),
          ...(note.trim() !== '' && { note }),
        })
      } catch (error) {
        if (!(error instanceof PlatformError) || error.code !== 'APPROVAL_DECIDED') throw error
      }
      decisions.value++
      onDecided()
    }, decision)

  const button = (decision: 'approve' | 'deny', name: string, more: object) => (
    <button
      type="button"
      aria-disabled={busy !== undefined}
      data-busy={busy === decision}
      onClick={() => decide(decision)}
      {...more}
    >
      {name}
    </button>
  )

  return (
    <section class="card stack" aria-labelledby="decision">
      <h2 id="decision">Your decision</h2>
      <Area
        label="Note to the agent"
        rows={2}
        maxLength={1000}
        value={note}
        onInput={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <div>
        <Segments<Remember>
          label="Remember"
          name="remember"
          options={remembers}
          chosen={remember}
          onChoose={setRemember}
        />
        <p class="hint">{effects[remember]}</p>
      </div>
      <Fault error={error} />
      <div class="decide">
        {button('deny', 'Deny', { class: 'button', disabled: remember === 'hour' })}
        {button('approve', 'Approve', { class: 'button primary' })}
      </div>
    </section>
  )
}
