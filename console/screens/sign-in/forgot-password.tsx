import { useState } from 'preact/hooks'
import { platform } from '../../base/platform.ts'
import { InputError } from '../../base/words.ts'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Head } from '../../ui/parts.tsx'

/** `/forgot-password`. */
export default function ForgotPassword() {
  const [sent, setSent] = useState<string>()

  async function send({ email = '' }: Record<string, string>) {
    if (email.trim() === '') throw new InputError('Fill in your email.')
    await platform.auth.forgotPassword({ email })
    setSent(email)
  }

  return (
    <>
      <Head
        title="Reset your password"
        lead="We send you a link to set a new password. It is valid for one hour."
      />
      {sent === undefined ? (
        <Form action="Send the link" onSend={send}>
          <Field label="Email" name="email" type="email" autocomplete="email" required />
        </Form>
      ) : (
        <p class="news" role="status">
          If {sent} has an account, we have sent the link. Check your spam folder too.
        </p>
      )}
      <p class="meta">
        <a href="/login">Back to signing in</a>
      </p>
    </>
  )
}
