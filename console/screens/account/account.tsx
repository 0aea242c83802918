import { useState } from 'preact/hooks'
import { platform } from '../../base/platform.ts'
import { withPassword } from '../../base/prove.ts'
import { loadSession, signOut } from '../../base/session.ts'
import { theme, themes } from '../../base/theme.ts'
import { InputError } from '../../base/words.ts'
import { Fault } from '../../ui/fault.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoad } from '../../ui/load.ts'
import { Head, Skeleton } from '../../ui/parts.tsx'
import { Deletion } from './deletion.tsx'
import { Sessions } from './sessions.tsx'
import './account.css'

/** `/account`. */
export default function Account() {
  const { data, error } = useLoad('settings', (signal) => platform.settings.get({ signal }))
  return (
    <>
      <Head title="Account" lead={data?.email ?? '…'}>
        <SignOut />
      </Head>
      <div class="stack">
        <Fault error={error} />
        {data === undefined && error === undefined && <Skeleton />}
        {(data ?? error) !== undefined && (
          <>
            {data !== undefined && <Name name={data.name} />}
            <Password />
            <Colours />
            <Sessions />
            {data !== undefined && <Deletion email={data.email} />}
          </>
        )}
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

function Name({ name }: { name: string }) {
  const [saved, setSaved] = useState(false)

  async function save({ name = '' }: Record<string, string>) {
    setSaved(false)
    if (name.trim() === '') throw new InputError('Fill in a name.')
    await platform.settings.update({ name })
    await loadSession()
    setSaved(true)
  }

  return (
    <Form action="Save" onSend={save} class="card" aside={<Saved shown={saved} words="Saved." />}>
      <h2>Profile</h2>
      <Field label="Name" name="name" autocomplete="name" defaultValue={name} />
    </Form>
  )
}

function Password() {
  const [round, setRound] = useState(0)

  async function change({ currentPassword = '', newPassword = '' }: Record<string, string>) {
    if (newPassword.length < 8) throw new InputError('Choose a password of at least 8 characters.')
    await withPassword(() =>
      platform.settings.changePassword({
        ...(currentPassword !== '' && { currentPassword }),
        newPassword,
      }),
    )
    setRound((before) => before + 1)
  }

  return (
    <Form
      key={round}
      again={round > 0}
      action="Change password"
      onSend={change}
      class="card"
      aside={
        <Saved shown={round > 0} words="Password changed. All other sessions are signed out." />
      }
    >
      <h2>Password</h2>
      <Field
        label="Current password"
        name="currentPassword"
        type="password"
        autocomplete="current-password"
        hint="Leave empty if your account has no password."
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
      <legend>Theme</legend>
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
          {each === 'system' ? 'Browser setting' : each.charAt(0).toUpperCase() + each.slice(1)}
        </label>
      ))}
    </fieldset>
  )
}
