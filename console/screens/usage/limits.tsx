import { useState } from 'preact/hooks'
import { plain } from '../../base/csv.ts'
import { dollarsIn } from '../../base/dollars.ts'
import { usd } from '../../base/figures.ts'
import { platform } from '../../base/platform.ts'
import { InputError } from '../../base/words.ts'
import { Fault } from '../../ui/fault.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoad } from '../../ui/load.ts'
import { Skeleton } from '../../ui/parts.tsx'

/**
 * The monthly and the daily spend cap, and the alerts.
 * @param spent USD in this month; null if no price is known
 */
export function Limits({ spent }: { spent: number | null }) {
  const { data, error, set } = useLoad('settings', (signal) => platform.settings.get({ signal }))
  const [saved, setSaved] = useState(false)
  if (error !== undefined) return <Fault error={error} />
  if (data === undefined) return <Skeleton />

  async function save({ cap = '', dayCap = '', alerts = '' }: Record<string, string>) {
    setSaved(false)
    const change = {
      spendCapUsd: dollarsIn(cap),
      spendCapUsdPerDay: dollarsIn(dayCap),
      spendAlerts: percentsOf(alerts),
    }
    set(await platform.settings.update(change))
    setSaved(true)
  }

  return (
    <Form
      action="Save"
      class="card"
      onSend={save}
      aside={
        <span class="meta" role="status">
          {saved ? 'Saved.' : ''}
        </span>
      }
    >
      <h2>Spend cap and alerts</h2>
      <Against spent={spent} cap={data.spendCapUsd} />
      <div class="columns">
        <Field
          label="Spend cap in US dollars per month"
          name="cap"
          inputMode="decimal"
          autocomplete="off"
          placeholder="No cap"
          defaultValue={data.spendCapUsd === null ? '' : plain(data.spendCapUsd)}
          hint="Calls are rejected when it is reached. Leave empty for no cap."
        />
        <Field
          label="Spend cap in US dollars per day"
          name="dayCap"
          inputMode="decimal"
          autocomplete="off"
          placeholder="No cap"
          defaultValue={data.spendCapUsdPerDay === null ? '' : plain(data.spendCapUsdPerDay)}
          hint="Days begin at midnight UTC."
        />
        <Field
          label="Alert at these percentages"
          name="alerts"
          autocomplete="off"
          placeholder="50, 80, 100"
          defaultValue={(data.spendAlerts ?? []).join(', ')}
          hint="Of the caps and the plan’s tokens. One email each per month, and per day for the daily cap. Leave empty for no alerts."
        />
      </div>
    </Form>
  )
}

function Against({ spent, cap }: { spent: number | null; cap: number | null }) {
  if (spent === null)
    return <p class="meta">Spending this month is unknown because no price is known.</p>
  if (cap === null) return <p class="meta">{usd(spent)} spent this month, without a cap.</p>
  const share = cap === 0 ? 1 : Math.min(1, spent / cap)
  return (
    <div>
      <p class="meta">
        {usd(spent)} of {usd(cap)} spent this month.
      </p>
      <div class="meter">
        <span style={{ inlineSize: `${share * 100}%` }} />
      </div>
    </div>
  )
}

/** @throws InputError for invalid percentages */
function percentsOf(text: string): number[] {
  const percents = text
    .split(/[\s,;%]+/)
    .filter((each) => each !== '')
    .map(Number)
  if (percents.some((each) => !Number.isInteger(each) || each < 1 || each > 100))
    throw new InputError('Enter whole percentages from 1 to 100, such as 50, 80, 100.')
  if (new Set(percents).size > 5) throw new InputError('At most five alerts are possible.')
  return percents
}
