import { useState } from 'preact/hooks'
import type { Telemetry as Collector } from '../../../clients/typescript/index.ts'
import { platform } from '../../base/platform.ts'
import { InputError } from '../../base/words.ts'
import { Area } from '../../ui/area.tsx'
import { useAttempt } from '../../ui/attempt.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import type { Loaded } from '../../ui/load.ts'
import { Skeleton } from '../../ui/parts.tsx'

/** The telemetry collector. */
export function Telemetry({ collector: { data, error, set } }: { collector: Loaded<Collector> }) {
  const [news, setNews] = useState('')

  function changed(collector: Collector, words: string) {
    set(collector)
    setNews(words)
  }

  return (
    <section class="card stack" aria-labelledby="telemetry">
      <div>
        <h2 id="telemetry">Telemetry</h2>
        <p class="meta">
          Each turn, model call and tool call is sent as a span to your own collector by OTLP.
        </p>
      </div>
      <Fault error={error} />
      {data === undefined && error === undefined && <Skeleton lines={1} />}
      {data !== undefined && (
        <>
          {data.otlpUrl !== null && (
            <Sent collector={data} url={data.otlpUrl} onChange={changed} onNews={setNews} />
          )}
          <Destination key={JSON.stringify(data)} collector={data} onChange={changed} />
        </>
      )}
      <p class="meta said-last" role="status">
        {news}
      </p>
    </section>
  )
}

interface ChangeProps {
  collector: Collector
  onChange(collector: Collector, words: string): void
}

/** Shows the current collector, with buttons to test and to remove it. */
function Sent({
  collector,
  url,
  onChange,
  onNews,
}: ChangeProps & { url: string; onNews(words: string): void }) {
  const { busy, error, setError, attempt } = useAttempt()
  const { headers, content } = collector

  const test = () =>
    attempt(async () => {
      onNews('')
      const { ok, status } = await platform.settings.telemetry.test()
      if (ok) onNews('The collector accepted the span.')
      else
        setError(
          status === null
            ? 'The collector did not answer. Check its address.'
            : `The collector answered ${status}. Check its address and headers.`,
        )
    })

  return (
    <>
      <dl class="facts">
        <dt>Sent to</dt>
        <dd>
          <code>{url}</code>
        </dd>
        <dt>Headers</dt>
        <dd>{headers.length === 0 ? 'none' : headers.join(', ')}</dd>
        <dt>Prompts and answers</dt>
        <dd>{content ? 'are sent too' : 'are not sent'}</dd>
      </dl>
      <Fault error={error} />
      <div class="row">
        <button
          type="button"
          class="button"
          aria-disabled={busy !== undefined}
          data-busy={busy !== undefined}
          onClick={test}
        >
          Send test span
        </button>
        <Confirm
          action="Disable"
          question="Disable telemetry?"
          onConfirm={async () =>
            onChange(
              await platform.settings.telemetry.set({ otlpUrl: null }),
              'Telemetry is disabled.',
            )
          }
        >
          Deletes the address and headers. Data at the collector is not deleted.
        </Confirm>
      </div>
    </>
  )
}

function Destination({ collector, onChange }: ChangeProps) {
  const isSet = collector.otlpUrl !== null

  async function save({ otlpUrl = '', headers = '', content }: Record<string, string>) {
    if (otlpUrl.trim() === '') throw new InputError('Enter the collector’s address.')
    const saved = await platform.settings.telemetry.set({
      otlpUrl: otlpUrl.trim(),
      headers: headersOf(headers),
      content: content !== undefined,
    })
    onChange(saved, 'Saved. Spans are sent there from now on.')
  }

  return (
    <Form action={isSet ? 'Replace the collector' : 'Send spans'} onSend={save}>
      <Field
        label="Collector"
        name="otlpUrl"
        autocomplete="off"
        placeholder="https://otlp.example.com"
        hint="/v1/traces is added to an address without a path."
        defaultValue={collector.otlpUrl ?? ''}
      />
      <Area
        label="Headers"
        name="headers"
        rows={2}
        autocomplete="off"
        placeholder="authorization: Bearer …"
        hint={
          isSet && collector.headers.length > 0
            ? 'One per line. Stored headers are not shown; enter all of them again to keep them.'
            : 'One per line. Stored encrypted and never shown again.'
        }
      />
      <label class="check">
        <input type="checkbox" name="content" defaultChecked={collector.content} />
        Send prompts and answers too
      </label>
    </Form>
  )
}

/** Parses `name: value` lines. */
function headersOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      if (colon < 1) throw new InputError(`Write each header as “name: value”.`)
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    }),
  )
}
