import { useState } from 'preact/hooks'
import { platform } from '../../app/platform.ts'
import { InputError } from '../../app/words.ts'
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
        lead="We mail you a link that sets a new one. It is good for an hour."
      />
      {sent === undefined ? (
        <Form action="Send the link" onSend={send}>
          <Field label="Email" name="email" type="email" autocomplete="email" required />
        </Form>
      ) : (
        <p class="news" role="status">
          If {sent} has an account, the link is on its way. Look among unwanted mails too.
        </p>
      )}
      <p class="meta">
        <a href="/login">Back to signing in</a>
      </p>
    </>
  )
}
