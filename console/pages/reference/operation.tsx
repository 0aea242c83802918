import { Copy } from '../../ui/copy.tsx'
import { type Content, type Operation, type Parameter, reference } from './data.ts'
import { Examples } from './examples.tsx'
import { Method } from './method.tsx'
import { Fields, SchemaView } from './schema.tsx'
import { TryIt } from './try-it.tsx'
import { Words } from './words.tsx'

/** Shows the parameters and responses of an operation, examples, and a form that sends it. */
export function OperationView({ operation }: { operation: Operation }) {
  const { id, summary, details, method, path, body, answers, refusals } = operation
  return (
    <article class="operation">
      <header>
        <h1 tabIndex={-1}>
          <Words text={summary} />
        </h1>
        {details !== '' && (
          <p>
            <Words text={details} />
          </p>
        )}
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
          <dt>Authentication</dt>
          <dd>{authentication(operation)}</dd>
        </dl>
      </header>
      <div class="takes stack">
        <Parameters of={operation.parameters} />
        {body !== undefined && <Body {...body} />}
        <section>
          <h2>Responses</h2>
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
  none: 'none',
}

function authentication({ security }: Operation): string {
  if (security.length === 0) return 'none'
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
      <h2>Request body</h2>
      {Object.entries(content).map(([type, { schema }]) => (
        <div key={type}>
          <p class="meta">
            <code>{type}</code>
            {required ? '' : ', optional'}
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
  400: 'Invalid request',
  401: 'No valid credential',
  402: 'Plan, payment or credits required',
  403: 'Not allowed',
  404: 'Not found, or not yours',
  405: 'Method not allowed',
  409: 'Conflict with the current state',
  410: 'Gone',
  413: 'Request too large',
  415: 'Unsupported content type',
  422: 'Request cannot be processed',
  429: 'Too many requests; see Retry-After',
  500: 'Internal error',
  502: 'An upstream service failed',
  503: 'Unavailable or not configured',
  504: 'An upstream service timed out',
}

function Refusals({ of }: { of: Operation['refusals'] }) {
  if (of.length === 0) return null
  return (
    <section>
      <h2>Errors</h2>
      <p class="meta">
        The body is an <a href="#schema-Error">Error</a> with a message and, for some errors, a
        code.
      </p>
      <dl class="refusals">
        {of.map(({ status, codes }) => (
          <div key={status}>
            <dt>
              <span class="status">{status}</span> {means[status] ?? 'Error'}
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
