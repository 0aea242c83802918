import { Copy } from '../../ui/copy.tsx'
import { reference } from './data.ts'

/** What holds for all operations. */
export function Overview({ missing }: { missing: boolean }) {
  const { operations, schemes, schemas, surface } = reference
  return (
    <article class="stack narrow">
      <header>
        <h1 tabIndex={-1}>{missing ? 'Not found' : 'API reference'}</h1>
        <p class="lead">
          {missing
            ? 'There is no operation and no schema of that name. Search for it, or take it from the list.'
            : `${operations.length} operations of the ${surface} surface, each with examples and a way to send it.`}
        </p>
      </header>
      <section>
        <h2>Address</h2>
        <p class="endpoint">
          <code>{location.origin}</code>
          <Copy text={location.origin} label="Copy address" />
        </p>
        <p>
          For programs the same as this page says is <a href="/openapi.json">openapi.json</a>{' '}
          (OpenAPI 3.1).
        </p>
      </section>
      <section>
        <h2 id="authentication">Authentication</h2>
        <dl class="refusals">
          {Object.entries(schemes).map(([name, description]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>{description}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h2>What holds everywhere</h2>
        <ul class="rules">
          <li>
            Requests and answers are JSON unless their operation says otherwise; times are ISO 8601
            in UTC.
          </li>
          <li>
            A refusal is an <a href="#schema-Error">Error</a>: words for people and, where a program
            could do something about it, a code.
          </li>
          <li>
            Every answer has the header <code>x-request-id</code>. Name it when you ask for help.
          </li>
          <li>
            429 comes with <code>Retry-After</code>. An operation that takes an{' '}
            <code>Idempotency-Key</code> can be sent again under the same one without doing anything
            twice.
          </li>
        </ul>
      </section>
      <section>
        <details class="within">
          <summary>All schemas</summary>
          <ul class="names">
            {Object.keys(schemas).map((name) => (
              <li key={name}>
                <a href={`#schema-${name}`}>{name}</a>
              </li>
            ))}
          </ul>
        </details>
      </section>
    </article>
  )
}
