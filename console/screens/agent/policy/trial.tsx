import { useState } from 'preact/hooks'
import type { PolicyRecord } from '../../../../clients/typescript/index.ts'
import { visible } from '../../../base/visible.ts'
import { plural } from '../../../base/words.ts'
import { Choice } from '../../../ui/area.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { Ago, Skeleton } from '../../../ui/parts.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { Table } from '../../../ui/table.tsx'
import { kindOf } from '../../approvals/words.ts'
import type { PolicyTrial } from './use-trial.ts'

type Outcome = PolicyRecord['then']

const outcomes: Readonly<Record<Outcome, { name: string; color?: string }>> = {
  allow: { name: 'allowed', color: 'running' },
  ask: { name: 'asked' },
  deny: { name: 'denied', color: 'error' },
}

const names = Object.keys(outcomes) as Outcome[]

const spans = ['1', '7', '30'] as const

/** The number of records that are shown first. A test returns up to 3,000. */
const shownFirst = 50

interface TrialProps {
  of: PolicyTrial
  days: number
  /** A rule names paths, which are not recorded. */
  hasPaths: boolean
  onDays(days: number): void
}

/** Shows the agent’s last actions, decided by the policy on the page. */
export function Trial({ of: { result, isLoading, error }, days, hasPaths, onDays }: TrialProps) {
  return (
    <section class="stack" aria-labelledby="trial" aria-busy={isLoading}>
      <div class="head">
        <div>
          <h2 id="trial">What the last {plural(days, 'day')} would have met</h2>
          <p class="meta">The agent’s records, decided by the policy above. Nothing is changed.</p>
        </div>
        <Segments
          label="Days"
          name="days"
          options={spans.map((value) => ({ value, label: plural(Number(value), 'day') }))}
          chosen={spans.find((each) => Number(each) === days) ?? '7'}
          onChoose={(value) => onDays(Number(value))}
        />
      </div>
      {hasPaths && (
        <p class="hint">
          Paths are not recorded: rules that ask or deny by path match every recorded request, and
          rules that allow by path match none.
        </p>
      )}
      <Fault error={error} />
      {result === undefined && error === undefined && <Skeleton />}
      {result !== undefined && error === undefined && (
        <>
          <dl class="card counts">
            {names.map((each) => (
              <div key={each} class="figure">
                <dt>{outcomes[each].name}</dt>
                <dd>{result.counts[each].toLocaleString('en')}</dd>
              </div>
            ))}
          </dl>
          {result.records.length === 0 ? (
            <p class="meta">
              No records in this time. Requests with credentials, payments and messages to your
              other agents are recorded.
            </p>
          ) : (
            <Records of={result.records} />
          )}
        </>
      )}
    </section>
  )
}

function Records({ of }: { of: readonly PolicyRecord[] }) {
  const [only, setOnly] = useState<Outcome>()
  const [wanted, setWanted] = useState(shownFirst)
  const matching = of.filter(({ then }) => only === undefined || then === only)
  return (
    <>
      <div class="show">
        <Choice
          label="Show"
          value={only ?? ''}
          onChoose={(value) => setOnly(names.find((each) => each === value))}
        >
          <option value="">all records</option>
          {names.map((each) => (
            <option key={each} value={each}>
              {outcomes[each].name}
            </option>
          ))}
        </Choice>
      </div>
      {matching.length === 0 ? (
        <p class="meta">No matching records.</p>
      ) : (
        <Table
          caption="Records"
          rows={matching.slice(0, wanted).map((record, i) => ({ record, id: `${i}` }))}
          id={({ id }) => id}
          columns={[
            {
              name: 'Action',
              cell: ({ record: { action, target } }) => (
                <>
                  {kindOf({ action })} <code>{visible(Object.values(target).join(' '))}</code>
                </>
              ),
            },
            {
              name: 'Decision',
              cell: ({ record: { then } }) => (
                <span class="state" data-state={outcomes[then].color}>
                  {outcomes[then].name}
                </span>
              ),
            },
            {
              name: 'By',
              cell: ({ record: { rule } }) => (typeof rule === 'number' ? `rule ${rule}` : rule),
            },
            { name: 'When', cell: ({ record: { at } }) => <Ago at={at} /> },
          ]}
        />
      )}
      {matching.length > wanted && (
        <p>
          <button type="button" class="button" onClick={() => setWanted(wanted + 10 * shownFirst)}>
            Show more
          </button>
        </p>
      )}
    </>
  )
}
