import { useState } from 'preact/hooks'
import type { Mandate } from '../../../../clients/typescript/index.ts'
import { now } from '../../../base/clock.ts'
import { Area } from '../../../ui/area.tsx'
import { FieldError, useFieldFaults } from '../../../ui/field-faults.tsx'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { agents } from '../client.ts'
import { amountIn } from './amounts.ts'

const labels = { hosts: 'Hosts', payees: 'Payees' }

interface MandateFormProps {
  agentId: string
  /** Null without a mandate. */
  mandate: Mandate | null
  onSaved(mandate: Mandate): void
  onCancel(): void
}

/** Sets what an agent may pay. */
export function MandateForm({ agentId, mandate, onSaved, onCancel }: MandateFormProps) {
  // The mandate is loaded again while the form is open.
  const [before] = useState(mandate)
  const [hasHosts, setHasHosts] = useState(before !== null && before.hosts !== null)
  const [hasPayees, setHasPayees] = useState(before !== null && before.payees !== null)

  const { root, at, send } = useFieldFaults()

  /** Returns the end in the form; null for none. */
  function endIn(text = ''): string | null {
    const input = root.current?.querySelector<HTMLInputElement>('[name=validUntil]')
    if (input?.validity.badInput) throw new FieldError('validUntil', 'Enter a date and a time.')
    if (text === '') return null
    const kept = before?.validUntil
    const end = kept && text === localTime(kept) ? kept : new Date(text).toISOString()
    if (Date.parse(end) <= now()) throw new FieldError('validUntil', 'Enter a time in the future.')
    return end
  }

  async function save(values: Record<string, string>) {
    const ask = amountIn(values['askAboveUsd'])
    const saved = await agents.mandate.set(agentId, {
      perPaymentUsd: amountIn(values['perPaymentUsd']),
      perDayUsd: amountIn(values['perDayUsd']),
      perMonthUsd: amountIn(values['perMonthUsd']),
      hosts: hasHosts ? namesIn(values['hosts']) : null,
      payees: hasPayees ? namesIn(values['payees']) : null,
      askAboveUsd: ask === '' ? null : ask,
      validUntil: endIn(values['validUntil']),
    })
    onSaved(saved)
  }

  const amount = (
    name: 'perPaymentUsd' | 'perDayUsd' | 'perMonthUsd' | 'askAboveUsd',
    label: string,
    hint: string,
  ) => (
    <Field
      {...at(name, label, hint)}
      inputMode="decimal"
      autocomplete="off"
      defaultValue={before?.[name] ?? ''}
    />
  )

  return (
    <div ref={root}>
      <Form
        action="Save mandate"
        again
        onSend={(values) => send(() => save(values))}
        aside={
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        }
      >
        <div class="columns">
          {amount('perPaymentUsd', 'Largest payment', 'In US dollars, like all amounts here.')}
          {amount('perDayUsd', 'Per day', 'Of all payments of a day in UTC.')}
          {amount('perMonthUsd', 'Per month', 'Of all payments of a month in UTC.')}
        </div>
        <AnyOrListed name="hosts" any="Any host" isListed={hasHosts} onChange={setHasHosts} />
        {hasHosts && (
          <Area
            {...at(
              'hosts',
              labels.hosts,
              'One per line, with the port unless it is 443. An empty list allows none.',
            )}
            rows={3}
            placeholder="api.example.com"
            defaultValue={before?.hosts?.join('\n') ?? ''}
          />
        )}
        <AnyOrListed name="payees" any="Any payee" isListed={hasPayees} onChange={setHasPayees} />
        {hasPayees && (
          <Area
            {...at('payees', labels.payees, 'One address per line. An empty list allows none.')}
            rows={3}
            placeholder="0x…"
            defaultValue={before?.payees?.join('\n') ?? ''}
          />
        )}
        <div class="columns">
          {amount(
            'askAboveUsd',
            'Ask me above',
            'A larger payment waits for your approval. Leave empty to approve none.',
          )}
          <Field
            {...at('validUntil', 'Valid until', 'In your time zone. Leave empty for no end.')}
            type="datetime-local"
            defaultValue={before?.validUntil ? localTime(before.validUntil) : ''}
          />
        </div>
        <p class="meta">
          An API key needs the scope money to allow more than now: a higher amount, more hosts or
          payees, fewer questions, or a later end. With the scope write it can only allow less.
        </p>
      </Form>
    </div>
  )
}

function AnyOrListed({
  name,
  any,
  isListed,
  onChange,
}: {
  name: 'hosts' | 'payees'
  any: string
  isListed: boolean
  onChange(isListed: boolean): void
}) {
  return (
    <Segments
      label={labels[name]}
      name={`${name}-kind`}
      options={[
        { value: 'any', label: any },
        { value: 'listed', label: `Only these ${name}` },
      ]}
      chosen={isListed ? 'listed' : 'any'}
      onChoose={(kind) => onChange(kind === 'listed')}
    />
  )
}

function namesIn(text = ''): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '')
}

/** Returns a time in the form of `datetime-local`. */
function localTime(iso: string): string {
  const date = new Date(iso)
  const shifted = date.getTime() - date.getTimezoneOffset() * 60_000
  return new Date(shifted).toISOString().slice(0, 16)
}
