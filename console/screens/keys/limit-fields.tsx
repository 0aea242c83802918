import type { Key } from '../../../clients/typescript/index.ts'
import { dollarsIn } from '../../base/dollars.ts'
import { InputError } from '../../base/words.ts'
import { Field } from '../../ui/field.tsx'

/** The fields of a key's limits. */
export function LimitFields({ limits }: { limits?: Key['limits'] }) {
  const { models = [], requestsPerMinute = '', usdPerDay = '', usdPerMonth = '' } = limits ?? {}
  return (
    <div class="columns">
      <Field
        label="Models"
        name="models"
        autocomplete="off"
        placeholder="All"
        defaultValue={models.join(', ')}
        hint="Ids separated by commas. Leave empty for no limit, as below."
      />
      <Field
        label="Model calls per minute"
        name="perMinute"
        inputMode="numeric"
        autocomplete="off"
        defaultValue={String(requestsPerMinute)}
      />
      <Field
        label="US dollars per day"
        name="perDay"
        inputMode="decimal"
        autocomplete="off"
        defaultValue={String(usdPerDay)}
      />
      <Field
        label="US dollars per month"
        name="perMonth"
        inputMode="decimal"
        autocomplete="off"
        defaultValue={String(usdPerMonth)}
      />
    </div>
  )
}

/** Returns the limits in the fields; null for none. @throws InputError for an invalid limit */
export function limitsIn({
  models = '',
  perMinute = '',
  perDay = '',
  perMonth = '',
}: Record<string, string>) {
  const ids = models.split(/[\s,]+/).filter((id) => id !== '')
  if (!/^\s*(?:[1-9]\d{0,5})?\s*$/.test(perMinute))
    throw new InputError('Enter the calls per minute as a whole number, such as 60.')
  return {
    models: ids.length === 0 ? null : ids,
    requestsPerMinute: perMinute.trim() === '' ? null : Number(perMinute),
    usdPerDay: dollarsIn(perDay),
    usdPerMonth: dollarsIn(perMonth),
  }
}
