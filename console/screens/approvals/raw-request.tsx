import type { Approval } from '../../../clients/typescript/index.ts'
import { visible } from '../../base/visible.ts'
import { plural } from '../../base/words.ts'

/** The request as it will be sent, as text. */
export function RawRequest({ of: { request, body, bodyBytes = 0 } }: { of: Approval['details'] }) {
  return (
    <section class="card stack" aria-labelledby="raw">
      <h2 id="raw">The request as it is sent</h2>
      {request ? (
        <RawText label="Request" text={JSON.stringify(request, undefined, 2)} />
      ) : (
        <p class="meta">The request is no longer stored.</p>
      )}
      {typeof body === 'string' && body !== '' && <RawText label="Body" text={body} />}
      {body === null && bodyBytes > 0 && (
        <p class="meta">The body has {plural(bodyBytes, 'byte')}, which are not text.</p>
      )}
    </section>
  )
}

/** A text of an agent or a host. It scrolls by itself, also with the keyboard. */
export function RawText({ label, text }: { label: string; text: string }) {
  return (
    <pre class="raw" role="region" aria-label={label} tabIndex={0}>
      {visible(text)}
    </pre>
  )
}
