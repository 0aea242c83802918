import { html, raw } from 'hono/html'
import { codes } from './codes.ts'
import { type OpenApiDocument, type Operation, refused } from './document.ts'

const style = `
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  h2 { margin-top: 2.5rem; text-transform: capitalize; }
  details { border: 1px solid #8886; border-radius: 6px; margin: .4rem 0; }
  summary { padding: .5rem .8rem; cursor: pointer; }
  details > div { padding: 0 .8rem .8rem; }
  code, pre { font: 13px/1.45 ui-monospace, monospace; }
  pre { overflow-x: auto; padding: .6rem; background: #8881; border-radius: 6px; }
  .method { display: inline-block; min-width: 4.2em; font-weight: 700; }
  .muted { opacity: .7; }
`

/** A reference page that needs nothing but itself: no script, no font, no address but the surface's own. */
export async function referencePage(document: OpenApiDocument): Promise<string> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const sections = document.tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    return html`<h2 id="${anchor(name)}">${name}</h2>
      ${own.map(({ path, method, operation }) => entry(path, method, operation))}`
  })
  return String(
    await html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>${document.info.title}</title>
          <style>
            ${raw(style)}
          </style>
        </head>
        <body>
          <h1>${document.info.title}</h1>
          <p>
            ${operations.length} operations, at this page's own address; for programs:
            <a href="/openapi.json">openapi.json</a>.
          </p>
          <p>${document.tags.map(({ name }) => html`<a href="#${anchor(name)}">${name}</a> `)}</p>
          <h2 id="authentication">Authentication</h2>
          <dl>
            ${schemesOf(document).map(
              ([name, description]) =>
                html`<dt><code>${name}</code></dt>
                  <dd>${description}</dd>`,
            )}
          </dl>
          ${sections}
          <h2 id="schemas">Schemas</h2>
          ${Object.entries(document.components.schemas).map(
            ([name, schema]) => html`<div id="schema-${name}">${block(name, schema)}</div>`,
          )}
        </body>
      </html>`,
  )
}

function entry(path: string, method: string, operation: Operation) {
  return html`<details id="${operation.operationId}">
    <summary>
      <code><span class="method">${method.toUpperCase()}</span> ${path}</code>
      <span class="muted">${operation.summary}</span>
    </summary>
    <div>
      <p>
        Name: <code>${operation.operationId}</code>. Authentication: ${authentication(operation)}
      </p>
      ${block('Parameters', operation.parameters)} ${block('Body', operation.requestBody)}
      ${answers(operation, (description) => description !== refused).map(([status, { content }]) =>
        block(`Answer ${status}`, content),
      )}
      ${streamed(operation)} ${refusals(operation)}
    </div>
  </details>`
}

function authentication({ security }: Operation): string {
  if (security.length === 0) return 'none'
  return security.map((option) => Object.keys(option)[0] ?? 'none').join(' or ')
}

type Answer = [status: string, Operation['responses'][string]]

function answers({ responses }: Operation, wanted: (description: string) => boolean): Answer[] {
  return Object.entries(responses).filter(([, { description }]) => wanted(description))
}

/** In one line, since they all look alike. */
function refusals(operation: Operation) {
  const statuses = answers(operation, (description) => description === refused)
  if (statuses.length === 0) return ''
  return html`<p>
      ${refused}: ${statuses.map(([status]) => status).join(', ')} (<a href="#schemas">schemas</a>)
    </p>
    ${codesBy(statuses)}`
}

function codesBy(statuses: readonly Answer[]) {
  const coded = statuses.filter(([, answer]) => answer['x-codes'] !== undefined)
  if (coded.length === 0) return ''
  return html`<ul>
    ${coded.map(
      ([status, answer]) =>
        html`<li>
          ${status}:
          ${(answer['x-codes'] ?? []).map(
            (code) => html`<code>${code}</code> (${codes[code].means}) `,
          )}
        </li>`,
    )}
  </ul>`
}

function streamed(operation: Operation) {
  const names = answers(operation, (description) => description !== refused).flatMap(
    ([, { content }]) => Object.keys(content['text/event-stream']?.['x-events'] ?? {}),
  )
  if (names.length === 0) return ''
  return html`<p>Events: ${names.map((name) => html`<code>${name}</code> `)}</p>`
}

/** The ways of authentication that the surface knows. */
function schemesOf({ paths, components }: OpenApiDocument): [name: string, description: string][] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const used = new Set(operations.flatMap(({ security }) => security.flatMap(Object.keys)))
  return Object.entries(components.securitySchemes)
    .filter(([name]) => used.has(name))
    .map(([name, { description }]) => [name, description])
}

function anchor(tag: string): string {
  return `tag-${tag.replaceAll(' ', '-')}`
}

function block(title: string, value: object | undefined) {
  if (value === undefined) return ''
  return html`<p>${title}</p>
    <pre>${JSON.stringify(value, null, 2)}</pre>`
}
