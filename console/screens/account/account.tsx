import { useState } from 'preact/hooks'
import { platform } from '../../app/platform.ts'
import { loadSession, signOut } from '../../app/session.ts'
import { theme, themes } from '../../app/theme.ts'
import { Wrong } from '../../app/words.ts'
import { Fault } from '../../ui/fault.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoad } from '../../ui/load.ts'
import { Head, Skeleton } from '../../ui/parts.tsx'
import { Sessions } from './sessions.tsx'

interface Profile {
  email: string
  name: string
}

/** `/account`. */
export default function Account() {
  const { data, error } = useLoad('settings', (signal) =>
    platform.get<Profile>('/api/settings', { signal }),
  )
  return (
    <>
      <Head title="Account" lead={data?.email}>
        <SignOut />
      </Head>
      <div class="stack">
        <Fault error={error} />
        {data === undefined && error === undefined && <Skeleton />}
        {data !== undefined && <Name name={data.name} />}
        <Password />
        <Sessions />
        <Colours />
      </div>
    </>
  )
}

function SignOut() {
  const [error, setError] = useState<unknown>()
  return (
    <>
      <button type="button" class="button" onClick={() => signOut().catch(setError)}>
        Sign out
      </button>
      <Fault error={error} />
    </>
  )
}

function Name({ name }: Pick<Profile, 'name'>) {
  const [saved, setSaved] = useState(false)

  async function save({ name = '' }: Record<string, string>) {
    setSaved(false)
    if (name.trim() === '') throw new Wrong('Fill in a name.')
    await platform.patch('/api/settings', { name })
    await loadSession()
    setSaved(true)
  }

  return (
    <Form action="Save" onSend={save} class="card" aside={<Saved shown={saved} words="Saved." />}>
      <Field label="Name" name="name" autocomplete="name" defaultValue={name} />
    </Form>
  )
}

function Password() {
  const [round, setRound] = useState(0)

  async function change({ currentPassword = '', newPassword = '' }: Record<string, string>) {
    if (newPassword.length < 8) throw new Wrong('Choose a password of at least 8 characters.')
    await platform.post('/api/settings/password', { currentPassword, newPassword })
    setRound((before) => before + 1)
  }

  return (
    <Form
      key={round}
      action="Change password"
      onSend={change}
      class="card"
      aside={<Saved shown={round > 0} words="Changed. Every other device is signed out." />}
    >
      <Field
        label="Current password"
        name="currentPassword"
        type="password"
        autocomplete="current-password"
      />
      <Field
        label="New password"
        name="newPassword"
        type="password"
        autocomplete="new-password"
        hint="At least 8 characters."
      />
    </Form>
  )
}

function Saved({ shown, words }: { shown: boolean; words: string }) {
  return (
    <span class="meta" role="status">
      {shown ? words : ''}
    </span>
  )
}

function Colours() {
  return (
    <fieldset class="card colours">
      <legend>Colours</legend>
      {themes.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name="theme"
            checked={theme.value === each}
            onChange={() => {
              theme.value = each
            }}
          />
          {each === 'system' ? 'As the browser' : each.charAt(0).toUpperCase() + each.slice(1)}
        </label>
      ))}
    </fieldset>
  )
}
