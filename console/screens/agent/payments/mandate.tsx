import { useRef, useState } from 'preact/hooks'
import type { Mandate } from '../../../../clients/typescript/index.ts'
import { now } from '../../../base/clock.ts'
import { PlatformError } from '../../../base/platform.ts'
import { Share } from '../../../ui/chart/share.tsx'
import { Confirm } from '../../../ui/confirm.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Ago, Skeleton } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'
import { exactUsd } from './amounts.ts'
import { MandateForm } from './mandate-form.tsx'

/** The limits of an agent’s payments, and their use. */
export function MandateCard({ agentId }: { agentId: string }) {
  const { data, error, set } = useLoad<Mandate | null>(
    `mandate ${agentId}`,
    (signal) => mandateOf(agentId, signal),
    () => 15_000,
  )
  const [isEdited, setIsEdited] = useState(false)
  const [notice, setNotice] = useState('')
  const heading = useRef<HTMLHeadingElement>(null)

  function show(mandate: Mandate | null, words: string) {
    set(mandate)
    close(words)
  }
  function close(words: string) {
    setIsEdited(false)
    setNotice(words)
    // The element with the focus is removed.
    heading.current?.focus()
  }

  return (
    <section class="card stack" aria-labelledby="mandate">
      <div class="form-end">
        <h2 id="mandate" ref={heading} tabIndex={-1}>
          Mandate
        </h2>
        <span class="meta" role="status">
          {notice}
        </span>
      </div>
      <Fault error={error} />
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && isEdited && (
        <MandateForm
          agentId={agentId}
          mandate={data}
          onSaved={(saved) => show(saved, 'Mandate saved.')}
          onCancel={() => close('')}
        />
      )}
      {data !== undefined && !isEdited && (
        <>
          {data === null ? <p>Without a mandate, the agent pays nothing.</p> : <Limits of={data} />}
          <div class="form-end">
            <button type="button" class="button" onClick={() => setIsEdited(true)}>
              {data === null ? 'Set mandate' : 'Change mandate'}
            </button>
            {data !== null && (
              <Confirm
                action="Delete mandate"
                question="Delete the mandate?"
                onConfirm={async () => {
                  await agents.mandate.delete(agentId)
                  show(null, 'Mandate deleted.')
                }}
              >
                The agent pays nothing more. A payment that was sent can still be settled.
              </Confirm>
            )}
          </div>
        </>
      )}
    </section>
  )
}

/** Returns an agent's mandate; null without one. */
async function mandateOf(agentId: string, signal: AbortSignal): Promise<Mandate | null> {
  try {
    return await agents.mandate.get(agentId, { signal })
  } catch (error) {
    if (error instanceof PlatformError && error.status === 404) return null
    throw error
  }
}

function Limits({ of }: { of: Mandate }) {
  const { askAboveUsd, validUntil } = of
  return (
    <dl class="facts">
      <dt>Per payment</dt>
      <dd>{exactUsd(of.perPaymentUsd)}</dd>
      <dt>Today (UTC)</dt>
      <Used part={of.usedTodayUsd} whole={of.perDayUsd} />
      <dt>This month</dt>
      <Used part={of.usedThisMonthUsd} whole={of.perMonthUsd} />
      <dt>Hosts</dt>
      <dd>{listed(of.hosts)}</dd>
      <dt>Payees</dt>
      <dd>{listed(of.payees)}</dd>
      <dt>Asks you</dt>
      <dd>{askAboveUsd === null ? 'never' : `above ${exactUsd(askAboveUsd)}`}</dd>
      <dt>Valid</dt>
      <dd>
        {validUntil === null && 'with no end'}
        {validUntil !== null && (
          <>
            {Date.parse(validUntil) > now() ? 'until ' : 'no longer: it ended '}
            {new Date(validUntil).toLocaleString()} (<Ago at={validUntil} />)
          </>
        )}
      </dd>
    </dl>
  )
}

function Used({ part, whole }: { part: string; whole: string }) {
  return (
    <dd>
      {exactUsd(part)} of {exactUsd(whole)} used
      <Share part={Math.min(Number(part), Number(whole))} whole={Number(whole)} />
    </dd>
  )
}

function listed(names: readonly string[] | null): string {
  return names === null ? 'any' : names.join(', ') || 'none'
}
