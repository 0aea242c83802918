import { Choice } from '../../../ui/area.tsx'
import { Field } from '../../../ui/field.tsx'
import { never } from './config.ts'

/** The default in the form, which is also the platform's: minutes until sleep. */
const usualMinutes = '15'

interface SleepProps {
  /** Minutes as text, or `never`: the saved and the current value. */
  texts: { base: string; draft: string }
  /** The current sleep timeout in minutes. Null if the agent does not sleep. */
  resting: number | null
  onWrite(minutes: string): void
}

/** Sets whether an agent sleeps, and after how long. */
export function Sleep({ texts: { base, draft }, resting, onWrite }: SleepProps) {
  const isKeptAwake = resting === null && base !== never && base === draft
  const usual = base === never ? usualMinutes : base
  return (
    <>
      <Choice
        label="When idle"
        name="rest"
        value={draft === never ? never : 'sleeps'}
        onChoose={(chosen) => onWrite(chosen === never ? never : usual)}
        hint={
          draft === never
            ? 'It answers at once, and always counts toward your plan’s limit of awake agents.'
            : 'A sleeping agent costs nothing. It wakes up for the next message.'
        }
      >
        <option value="sleeps">It goes to sleep</option>
        <option value={never}>It never sleeps</option>
      </Choice>
      {draft !== never && (
        <Field
          label="Sleep after idle minutes"
          name="sleep"
          inputMode="numeric"
          hint={isKeptAwake ? 'It answers on a chat service, so it never sleeps.' : undefined}
          autocomplete="off"
          value={draft}
          onInput={({ currentTarget: { value } }) => onWrite(value)}
        />
      )}
    </>
  )
}
