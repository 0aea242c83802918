import { useState } from 'preact/hooks'
import { platform } from '../../base/platform.ts'
import { CopiedField } from '../../ui/copied-field.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useLoad } from '../../ui/load.ts'
import { Empty, Head, Skeleton } from '../../ui/parts.tsx'
import { ConnectPrograms } from './connect-programs.tsx'
import { KeyForm } from './key-form.tsx'
import { KeyItem } from './key-item.tsx'
import { Telemetry } from './telemetry.tsx'
import { Webhooks } from './webhooks.tsx'
import './keys.css'

/** `/keys`. */
export default function Keys() {
  const [naming, setNaming] = useState(false)
  const [made, setMade] = useState<string>()
  const { data, error, reload } = useLoad('keys', (signal) => platform.keys.list({ signal }))

  const webhooks = useLoad('webhook endpoints', (signal) =>
    platform.webhookEndpoints.list({ signal }),
  )
  const telemetry = useLoad('telemetry', (signal) => platform.settings.telemetry.get({ signal }))

  const loading = data === undefined && error === undefined

  const begin = (
    <button
      type="button"
      class="button primary"
      disabled={loading}
      onClick={() => {
        setMade(undefined)
        setNaming(true)
      }}
    >
      <Icon name="plus" />
      New key
    </button>
  )
  return (
    <>
      <Head title="Keys" lead="API keys give your programs access to your account.">
        {(data === undefined || data.length > 0) && !naming && begin}
      </Head>
      <div class="stack">
        <Fault error={error} />
        {naming && (
          <KeyForm
            onMade={(key) => {
              setMade(key)
              setNaming(false)
              reload()
            }}
          />
        )}
        {made !== undefined && (
          <section class="card stack" aria-label="The new key">
            <p>Store this key safely. It is shown only once.</p>
            <CopiedField label="Your new key" value={made} />
          </section>
        )}
        {loading && <Skeleton />}
        {data?.length === 0 && !naming && (
          <Empty icon="key" title="No keys yet" step={begin}>
            Create a key to call the platform from a script, the command line or another agent.
          </Empty>
        )}
        {data !== undefined && data.length > 0 && (
          <ul class="list">
            {data.map((key) => (
              <KeyItem key={key.id} of={key} onChange={reload} />
            ))}
          </ul>
        )}
        {/* Rendered after the list is loaded, which would otherwise push it down. */}
        {!loading && <ConnectPrograms made={made} />}
        {!loading && (webhooks.data ?? webhooks.error) !== undefined && (
          <>
            <Webhooks endpoints={webhooks} />
            <Telemetry collector={telemetry} />
          </>
        )}
      </div>
    </>
  )
}
