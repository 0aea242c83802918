import { useState } from 'preact/hooks'
import { platform } from '../../base/platform.ts'
import { query } from '../../base/router.ts'
import { InputError } from '../../base/words.ts'
import { Fault } from '../../ui/fault.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Head } from '../../ui/parts.tsx'

/** `/reset-password?token=`, the link in the email. */
export default function ResetPassword() {
  const [done, setDone] = useState(false)
  const token = query.value.get('token') ?? ''

  async function reset({ password = '', again = '' }: Record<string, string>) {
    if (password.length < 8) throw new InputError('Choose a password of at least 8 characters.')
    if (password !== again) throw new InputError('The passwords do not match.')
    await platform.auth.resetPassword({ token, password })
    setDone(true)
  }

  return (
    <>
      <Head title="Choose a new password" />
      {token === '' && <Fault error="This link is incomplete. Open the link in the email again." />}
      {token !== '' && !done && (
        <Form action="Set the password" onSend={reset}>
          <Field
            label="New password"
            name="password"
            type="password"
            autocomplete="new-password"
            hint="At least 8 characters."
            required
          />
          <Field
            label="New password, again"
            name="again"
            type="password"
            autocomplete="new-password"
            required
          />
        </Form>
      )}
      {done && (
        <p class="news" role="status">
          Your new password is set. All other sessions are signed out.
        </p>
      )}
      <p class="meta">
        <a href={done ? '/login' : '/forgot-password'}>
          {done ? 'Sign in' : 'Request another link'}
        </a>
      </p>
    </>
  )
}
