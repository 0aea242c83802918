import type { Step } from './kinds.ts'
import './steps.css'

/** Steps at a service, in order. */
export function Steps({ of }: { of: readonly Step[] }) {
  return (
    <ol class="steps">
      {of.map((step) =>
        typeof step === 'string' ? (
          <li key={step}>{step}</li>
        ) : (
          <li key={step.text}>
            <a href={step.href} target="_blank" rel="noreferrer">
              {step.text}
            </a>
          </li>
        ),
      )}
    </ol>
  )
}
