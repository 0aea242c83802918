import { type Change, isCap, linesOf } from './config.ts'
import './changes.css'

const labels: Readonly<Record<Change['name'], string>> = {
  systemPrompt: 'System prompt',
  model: 'Model',
  sleepAfterMinutes: 'Sleep after idle minutes',
  spendCapUsd: 'Spend cap per month',
  spendCapUsdPerDay: 'Spend cap per day',
}

/**
 * Shows the changes before they are saved, old to new.
 * @param isConflict another user has saved the old values in the meantime
 */
export function Changes({
  changes,
  isConflict,
}: {
  changes: readonly Change[]
  isConflict: boolean
}) {
  if (changes.length === 0) return null
  return (
    <section class="changes" aria-label={isConflict ? 'Conflicting changes' : 'Changes'}>
      <h2>{isConflict ? 'Conflicting changes' : 'Changes'}</h2>
      <dl>
        {changes.map(({ name, from, to }) => (
          <div key={name}>
            <dt>{labels[name]}</dt>
            {name === 'systemPrompt' && from !== '' && to !== '' ? (
              <dd>
                {linesOf(from, to).map(({ id, mark, text }) =>
                  mark === '-' ? <del key={id}>{text}</del> : <ins key={id}>{text}</ins>,
                )}
              </dd>
            ) : (
              <dd>
                <del>{from === '' ? 'not set' : from}</del>
                <ins>{to === '' ? 'not set' : to}</ins>
              </dd>
            )}
          </div>
        ))}
      </dl>
      {changes.some(({ name }) => !isCap(name)) && (
        <p class="meta">A running agent restarts to apply them.</p>
      )}
    </section>
  )
}
