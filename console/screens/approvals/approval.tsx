import { useEffect } from 'preact/hooks'
import type { Approval } from '../../../clients/typescript/index.ts'
import { agentPath, listAgents } from '../../base/agents.ts'
import { platform, PlatformError } from '../../base/platform.ts'
import { visible } from '../../base/visible.ts'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { brand, NotFound } from '../../ui/not-found.tsx'
import { Ago, Head, Skeleton } from '../../ui/parts.tsx'
import { ApprovalState } from './approval-state.tsx'
import { DecisionForm } from './decision-form.tsx'
import { RawRequest, RawText } from './raw-request.tsx'
import { kindOf, outcomeOf } from './words.ts'
import './approval.css'

/** Milliseconds between two loads of an approval that can still change. */
const pauses: Partial<Record<Approval['state'], number>> = { pending: 10_000, approved: 2000 }

/** `/approvals/:id`. Mails lead here. */
export default function ApprovalPage({ id = '' }: Record<string, string>) {
  const { data, error, reload } = useLoad(
    `approval ${id}`,
    (signal) => platform.approvals.get(id, { signal }),
    ({ state }) => pauses[state],
  )
  const kind = data && kindOf(data)
  useEffect(() => {
    if (kind !== undefined) document.title = `${kind} · Approvals · ${brand}`
  }, [kind])
  if (error instanceof PlatformError && error.status === 404) return <NotFound />
  if (data === undefined) return error === undefined ? <Skeleton /> : <Fault error={error} />
  return (
    <>
      <Head title={kind} lead={<ApprovalState of={data.state} />}>
        <a class="button" href="/approvals">
          All approvals
        </a>
      </Head>
      <Fault error={error} />
      <div class="approval">
        <div class="stack">
          <section class="card stack" aria-labelledby="effect">
            <h2 id="effect">What will happen</h2>
            <p class="effect">{visible(data.summary)}</p>
            <Facts of={data} />
          </section>
          {data.state === 'pending' ? (
            <DecisionForm id={id} onDecided={reload} />
          ) : (
            <Outcome of={data} />
          )}
        </div>
        <RawRequest of={data.details} />
      </div>
    </>
  )
}

function Facts({ of: { agentId, details, createdAt, expiresAt, state } }: { of: Approval }) {
  const agents = useLoad('agents', listAgents)
  return (
    <dl class="facts">
      <dt>Agent</dt>
      <dd>
        <a href={agentPath(agentId)}>
          {agents.data?.find(({ id }) => id === agentId)?.name ?? agentId}
        </a>
      </dd>
      <dt>Session</dt>
      <dd>{visible(details.session)}</dd>
      {Object.entries(details.target).map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{visible(value)}</dd>
        </>
      ))}
      {details.usd !== undefined && (
        <>
          <dt>Amount</dt>
          <dd>{details.usd} USD</dd>
        </>
      )}
      <dt>Requested</dt>
      <dd>
        <Ago at={createdAt} />
      </dd>
      {state === 'pending' && (
        <>
          <dt>Expires</dt>
          <dd>
            <Ago at={expiresAt} />
          </dd>
        </>
      )}
    </dl>
  )
}

function Outcome({ of }: { of: Approval }) {
  const { decidedAt, note, result } = of
  const body = result !== null && 'body' in result ? result.body : undefined
  return (
    <section class="card stack" aria-labelledby="outcome">
      <h2 id="outcome">Outcome</h2>
      <p role="status">{outcomeOf(of)}</p>
      {decidedAt !== null && (
        <p class="meta">
          Decided <Ago at={decidedAt} />.
        </p>
      )}
      {note !== null && <p>Your note: {note}</p>}
      {typeof body === 'string' && body !== '' && <RawText label="Response" text={body} />}
    </section>
  )
}
