import { useState } from 'preact/hooks'
import type { WebhookEndpoint } from '../../../clients/typescript/index.ts'
import { platform } from '../../base/platform.ts'
import { useAttempt } from '../../ui/attempt.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { CopiedField } from '../../ui/copied-field.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Loaded } from '../../ui/load.ts'
import { Ago } from '../../ui/parts.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookForm } from './webhook-form.tsx'
import '../../ui/runs.css'

/** The webhook endpoints. */
export function Webhooks({
  endpoints: { data, error, reload },
}: {
  endpoints: Loaded<WebhookEndpoint[]>
}) {
  const [making, setMaking] = useState(false)
  const [secret, setSecret] = useState<string>()
  return (
    <section class="stack" aria-labelledby="webhooks">
      <div class="head">
        <h2 id="webhooks">Webhooks</h2>
        {!making && (
          <button
            type="button"
            class="button small"
            onClick={() => {
              setSecret(undefined)
              setMaking(true)
            }}
          >
            <Icon name="plus" />
            New webhook
          </button>
        )}
      </div>
      <Fault error={error} />
      {making && (
        <WebhookForm
          onCancel={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false)
            setSecret(made)
            reload()
          }}
        />
      )}
      {secret !== undefined && (
        <section class="card stack" aria-label="The new webhook">
          <p>Requests are signed with this secret. It is shown only once.</p>
          <CopiedField label="Signing secret" value={secret} />
        </section>
      )}
      {data?.length === 0 && !making && (
        <p class="meta">
          No webhooks yet. A webhook sends events to your server, such as a crashed agent, a
          finished run or a spend alert.
        </p>
      )}
      {data !== undefined && data.length > 0 && (
        <ul class="list">
          {data.map((endpoint) => (
            <Endpoint key={endpoint.id} endpoint={endpoint} reload={reload} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Endpoint({ endpoint, reload }: { endpoint: WebhookEndpoint; reload(): void }) {
  const [open, setOpen] = useState(false)
  const [round, setRound] = useState(0)
  const { busy, error, attempt } = useAttempt()

  const test = () =>
    attempt(async () => {
      await platform.webhookEndpoints.test(endpoint.id)
      setOpen(true)
      setRound((before) => before + 1)
    })

  return (
    <li class="task">
      <div class="list-main">
        <strong>{endpoint.url}</strong>
        <p class="meta">
          {endpoint.events.join(', ')}; created <Ago at={endpoint.createdAt} />
        </p>
        {endpoint.disabledAt !== null && (
          <p class="state" data-state="error">
            disabled after three days of failures, <Ago at={endpoint.disabledAt} />
          </p>
        )}
      </div>
      <button
        type="button"
        class="button small"
        disabled={endpoint.disabledAt !== null}
        aria-disabled={busy !== undefined}
        data-busy={busy !== undefined}
        onClick={test}
      >
        Test
      </button>
      <button
        type="button"
        class="button small"
        aria-expanded={open}
        onClick={() => setOpen((before) => !before)}
      >
        Deliveries
      </button>
      <Confirm
        action="Delete"
        question="Delete this webhook?"
        class="small"
        onConfirm={async () => {
          await platform.webhookEndpoints.delete(endpoint.id)
          reload()
        }}
      >
        No more events are sent to {endpoint.url}.
      </Confirm>
      {(open || error !== undefined) && (
        <div class="task-more stack">
          <Fault error={error} />
          {open && <Deliveries endpoint={endpoint} round={round} />}
        </div>
      )}
    </li>
  )
}
