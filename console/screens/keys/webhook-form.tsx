import { useState } from 'preact/hooks'
import { webhookEventTypes } from '../../../clients/typescript/generated/values.ts'
import type { WebhookEventType } from '../../../clients/typescript/index.ts'
import { platform } from '../../base/platform.ts'
import { InputError } from '../../base/words.ts'
import { Checks } from '../../ui/checks.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'

/** All types except ping, which has its own button. */
const types = webhookEventTypes.filter((type) => type !== 'ping')

/**
 * Creates a webhook endpoint.
 * @param onMade receives the signing secret
 */
export function WebhookForm({
  onMade,
  onCancel,
}: {
  onMade(secret: string): void
  onCancel(): void
}) {
  const [events, setEvents] = useState<readonly WebhookEventType[]>(['agent.crashed', 'run.failed'])

  async function create({ url = '' }: Record<string, string>) {
    if (url.trim() === '') throw new InputError('Enter the endpoint’s address.')
    if (events.length === 0) throw new InputError('Choose at least one event.')
    const { secret } = await platform.webhookEndpoints.create({
      url: url.trim(),
      events: [...events],
    })
    onMade(secret)
  }

  return (
    <Form
      action="Create webhook"
      onSend={create}
      class="card"
      aside={
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      }
    >
      <Field label="Address" name="url" autocomplete="off" placeholder="https://example.com/hook" />
      <Checks
        legend="Events"
        options={types.map((type) => ({ value: type, label: type }))}
        chosen={events}
        onChange={setEvents}
      />
    </Form>
  )
}
