import type { WebhookDelivery, WebhookEndpoint } from '../../../clients/typescript/index.ts'
import { platform } from '../../base/platform.ts'
import { plural } from '../../base/words.ts'
import { useAttempt } from '../../ui/attempt.ts'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Ago, Skeleton } from '../../ui/parts.tsx'

const colours = { pending: 'pending', delivered: 'running', failed: 'error' } as const

/**
 * Recent deliveries of an endpoint, with a button to redeliver.
 * @param round another value reloads them
 */
export function Deliveries({ endpoint, round }: { endpoint: WebhookEndpoint; round: number }) {
  const { id, disabledAt } = endpoint
  const { busy, error, attempt } = useAttempt()
  const loaded = useLoad(
    `deliveries ${id} ${round}`,
    (signal) => platform.webhookEndpoints.deliveries(id, {}, { signal }),
    (list) => (list.some(({ status }) => status === 'pending') ? 3000 : 15_000),
  )
  const { data } = loaded

  const again = (delivery: WebhookDelivery) =>
    attempt(async () => {
      await platform.webhookEndpoints.redeliver(id, delivery.id)
      loaded.reload()
    }, delivery.id)

  if (data === undefined)
    return loaded.error === undefined ? <Skeleton lines={2} /> : <Fault error={loaded.error} />
  if (data.length === 0) return <p class="meta">No deliveries yet.</p>
  return (
    <>
      <Fault error={error ?? loaded.error} />
      <ul class="runs" aria-label="Deliveries">
        {data.map((delivery) => (
          <li key={delivery.id}>
            <p>
              <strong>{delivery.type}</strong>{' '}
              <span class="state" data-state={colours[delivery.status]}>
                {delivery.status}
              </span>{' '}
              <span class="meta">
                <Ago at={delivery.createdAt} />, {plural(delivery.attempts, 'attempt')}
                {delivery.attempts > 0 &&
                  `, ${delivery.responseStatus === null ? 'no answer' : `answered ${delivery.responseStatus}`}`}
                {delivery.nextAttemptAt !== null && (
                  <>
                    , again <Ago at={delivery.nextAttemptAt} />
                  </>
                )}
              </span>
            </p>
            {delivery.status !== 'pending' && disabledAt === null && (
              <p>
                <button
                  type="button"
                  class="button small"
                  aria-disabled={busy !== undefined}
                  data-busy={busy === delivery.id}
                  onClick={() => again(delivery)}
                >
                  Redeliver
                </button>
              </p>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
