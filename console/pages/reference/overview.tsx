import { Copy } from '../../ui/copy.tsx'
import { reference } from './data.ts'

/** The start page: address, authentication and conventions. */
export function Overview({ missing }: { missing: boolean }) {
  const { operations, schemes, schemas, surface } = reference
  return (
    <article class="stack narrow">
      <header>
        <h1 tabIndex={-1}>{missing ? 'Not found' : 'API reference'}</h1>
        <p class="lead">
          {missing
            ? 'There is no operation or schema with this name.'
            : `${operations.length} operations of the ${surface} API, with examples and a form to send requests.`}
        </p>
      </header>
      <section>
        <h2>Base URL</h2>
        <p class="endpoint">
          <code>{location.origin}</code>
          <Copy text={location.origin} label="Copy address" />
        </p>
        <p>
          The OpenAPI 3.1 document is <a href="/openapi.json">openapi.json</a>.
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
        <h2>Conventions</h2>
        <ul class="rules">
          <li>
            Requests and responses are JSON unless an operation says otherwise. Times are ISO 8601
            in UTC.
          </li>
          <li>
            An error response is an <a href="#schema-Error">Error</a>: a message for people and, if
            a program can handle it, a code.
          </li>
          <li>
            Every response has the header <code>x-request-id</code>. Include it in support requests.
          </li>
          <li>
            A 429 response has the header <code>Retry-After</code>. Retry an operation that takes an{' '}
            <code>Idempotency-Key</code> with the same key; it is not executed twice.
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
