import { useState } from 'preact/hooks'
import { platform } from '../../base/platform.ts'
import { query } from '../../base/router.ts'
import { InputError } from '../../base/words.ts'
import { Fault } from '../../ui/fault.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Head } from '../../ui/parts.tsx'

/** `/verify-email?token=`. Opening the link verifies nothing, because mail scanners open links. */
export default function VerifyEmail() {
  const [done, setDone] = useState(false)
  const token = query.value.get('token') ?? ''

  async function verify({ password = '' }: Record<string, string>) {
    if (password === '') throw new InputError('Fill in your password.')
    await platform.auth.verifyEmail({ token, password })
    setDone(true)
  }

  return (
    <>
      <Head
        title="Verify your email"
        lead={done ? undefined : 'Enter your password to confirm that the account is yours.'}
      />
      {token === '' && <Fault error="This link is incomplete. Open the link in the email again." />}
      {token !== '' && !done && (
        <Form action="Verify" onSend={verify}>
          <Field label="Email" name="email" type="email" autocomplete="username" />
          <Field
            label="Password"
            name="password"
            type="password"
            autocomplete="current-password"
            required
          />
        </Form>
      )}
      {done && (
        <p class="news" role="status">
          Your email is verified.
        </p>
      )}
      <p class="meta">
        <a href="/">Go on to the console</a>
      </p>
    </>
  )
}
