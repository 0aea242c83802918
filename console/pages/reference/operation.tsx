import { Copy } from '../../ui/copy.tsx'
import { type Content, type Operation, type Parameter, reference } from './data.ts'
import { Examples } from './examples.tsx'
import { Method } from './method.tsx'
import { Fields, SchemaView } from './schema.tsx'
import { TryIt } from './try-it.tsx'
import { Words } from './words.tsx'

/** What an operation takes and answers, with examples, and a way to send it. */
export function OperationView({ operation }: { operation: Operation }) {
  const { id, summary, method, path, body, answers, refusals } = operation
  return (
    <article class="operation">
      <header>
        <h1 tabIndex={-1}>
          <Words text={summary} />
        </h1>
        <p class="endpoint">
          <Method method={method} />
          <code>{path}</code>
          <Copy text={path} label="Copy path" />
        </p>
        <dl class="facts">
          <dt>Name</dt>
          <dd>
            <a href={`#${id}`}>
              <code>{id}</code>
            </a>
          </dd>
          <dt>Opened by</dt>
          <dd>{openedBy(operation)}</dd>
        </dl>
      </header>
      <div class="takes stack">
        <Parameters of={operation.parameters} />
        {body !== undefined && <Body {...body} />}
        <section>
          <h2>Answers</h2>
          {answers.map(({ status, content }) => (
            <Answer key={status} status={status} content={content} />
          ))}
        </section>
        <Refusals of={refusals} />
      </div>
      <aside class="tries stack" aria-label="Examples">
        <Examples operation={operation} />
        <TryIt operation={operation} />
      </aside>
    </article>
  )
}

const schemeNames: Readonly<Record<string, string>> = {
  session: 'a session',
  key: 'an API key',
  internal: 'the internal key',
  agent: 'an agent’s key',
  none: 'no one at all',
}

function openedBy({ security }: Operation): string {
  if (security.length === 0) return 'everyone'
  return security
    .map(({ scheme, scopes }) => {
      const name = schemeNames[scheme === '' ? 'none' : scheme] ?? scheme
      return scopes.length === 0 ? name : `${name} with the scope ${scopes.join(' or ')}`
    })
    .join(', or ')
}

function Parameters({ of }: { of: Parameter[] }) {
  if (of.length === 0) return null
  return (
    <section>
      <h2>Parameters</h2>
      <Fields
        isSent
        of={of.map(({ name, required, description, schema, ...parameter }) => ({
          name,
          schema: { ...schema, ...(description !== undefined && { description }) },
          isRequired: required === true,
          place: parameter.in,
        }))}
      />
    </section>
  )
}

function Body({ required, content }: { required: boolean; content: Content }) {
  return (
    <section>
      <h2>Body</h2>
      {Object.entries(content).map(([type, { schema }]) => (
        <div key={type}>
          <p class="meta">
            <code>{type}</code>
            {required ? '' : ', may be left out'}
          </p>
          <SchemaView schema={schema} isSent />
        </div>
      ))}
    </section>
  )
}

function Answer({ status, content }: { status: string; content: Content }) {
  return (
    <>
      {Object.entries(content).map(([type, { schema, 'x-events': events }]) => (
        <div key={type} class="answer-form">
          <h3>
            <span class="status" data-good="true">
              {status}
            </span>{' '}
            <code>{type}</code>
          </h3>
          {events === undefined ? (
            <SchemaView schema={schema} />
          ) : (
            Object.entries(events).map(([name, event]) => (
              <div key={name}>
                <p class="meta">
                  Event <code>{name}</code>
                </p>
                <SchemaView schema={event.schema} />
              </div>
            ))
          )}
        </div>
      ))}
    </>
  )
}

const means: Readonly<Record<string, string>> = {
  400: 'Something in the request is wrong',
  401: 'Nothing opens it, or what does has ended',
  402: 'The plan does not have it, or has been used up',
  403: 'Not allowed',
  404: 'There is no such thing, or it is another’s',
  405: 'Not with this method',
  409: 'Not in the present state',
  410: 'It was there and is gone',
  413: 'Too large',
  415: 'Not with this content type',
  422: 'It was understood and cannot be done',
  429: 'Too often; Retry-After says when again',
  500: 'A fault of the platform',
  502: 'A service behind the platform failed',
  503: 'Not at the moment, or not set up here',
  504: 'A service behind the platform was silent',
}

function Refusals({ of }: { of: Operation['refusals'] }) {
  if (of.length === 0) return null
  return (
    <section>
      <h2>Refusals</h2>
      <p class="meta">
        <a href="#schema-Error">Error</a> with words for people, and a code where there is one.
      </p>
      <dl class="refusals">
        {of.map(({ status, codes }) => (
          <div key={status}>
            <dt>
              <span class="status">{status}</span> {means[status] ?? 'Refused'}
            </dt>
            {codes.map((code) => (
              <dd key={code}>
                <code>{code}</code> <Words text={reference.codes[code] ?? ''} />
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </section>
  )
}
