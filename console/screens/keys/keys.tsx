import { useState } from 'preact/hooks'
import { platform } from '../../app/platform.ts'
import { Wrong } from '../../app/words.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useLoad } from '../../ui/load.ts'
import { Ago, Copy, Empty, Head, Skeleton } from '../../ui/parts.tsx'

interface Key {
  id: string
  name: string
  keyPreview: string
  createdAt: string
  lastUsed: string | null
  scopes: string[]
}

/** `/keys`. */
export default function Keys() {
  const [naming, setNaming] = useState(false)
  const [made, setMade] = useState<string>()
  const { data, error, reload } = useLoad(
    'keys',
    async (signal) => (await platform.get<{ keys: Key[] }>('/api/keys', { signal })).keys,
  )

  async function create({ name = '' }: Record<string, string>) {
    if (name.trim() === '') throw new Wrong('Give the key a name.')
    const { key } = await platform.post<{ key: string }>('/api/keys', { name })
    setMade(key)
    setNaming(false)
    reload()
  }

  const begin = (
    <button
      type="button"
      class="button primary"
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
      <Head title="Keys" lead="A key lets a program of yours do what you can do here.">
        {(data === undefined || data.length > 0) && !naming && begin}
      </Head>
      <div class="stack">
        <Fault error={error} />
        {naming && (
          <Form action="Create key" onSend={create} class="card">
            <Field label="Name" name="name" autocomplete="off" maxLength={100} />
          </Form>
        )}
        {made !== undefined && (
          <section class="card stack" aria-label="The new key">
            <p>Keep it somewhere safe: it is shown this once.</p>
            <div class="secret">
              <Field label="Your new key" value={made} readOnly />
              <Copy text={made} />
            </div>
          </section>
        )}
        {data === undefined && error === undefined && <Skeleton />}
        {data?.length === 0 && !naming && (
          <Empty icon="key" title="No keys yet" step={begin}>
            Make one to call the platform from a script, the command line or another agent.
          </Empty>
        )}
        {data !== undefined && data.length > 0 && (
          <ul class="list">
            {data.map((key) => (
              <li key={key.id}>
                <div class="list-main">
                  <strong>{key.name}</strong>
                  <p class="meta">
                    <code>{key.keyPreview}</code> {key.scopes.join(', ')}; made{' '}
                    <Ago at={key.createdAt} />,{' '}
                    {key.lastUsed === null ? (
                      'never used'
                    ) : (
                      <>
                        last used <Ago at={key.lastUsed} />
                      </>
                    )}
                  </p>
                </div>
                <Confirm
                  action="Revoke"
                  question={`Revoke ${key.name}?`}
                  class="small"
                  onConfirm={async () => {
                    await platform.delete(`/api/keys/${key.id}`)
                    reload()
                  }}
                >
                  Every program that uses it is refused from then on.
                </Confirm>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  )
}
