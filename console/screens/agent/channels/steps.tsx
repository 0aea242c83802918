import './steps.css'

/** Steps at a service, in order. */
export function Steps({ of }: { of: readonly string[] }) {
  return (
    <ol class="steps">
      {of.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  )
}
