import { platform } from '../../app/platform.ts'
import { leave } from '../../app/session.ts'
import { InputError } from '../../app/words.ts'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'

/** Deletes the account. The user must type its address, because all agents are deleted too. */
export function Deletion({ email }: { email: string }) {
  async function remove({ address = '', password = '' }: Record<string, string>) {
    if (address.trim().toLowerCase() !== email.toLowerCase())
      throw new InputError('That is not the email of this account.')
    await platform.account.delete(password === '' ? { confirm: email } : { password })
    sessionStorage.clear()
    leave('/login')
  }

  return (
    <details class="card fold">
      <summary>Delete this account</summary>
      <Form action="Delete account" onSend={remove} danger>
        <p class="meta">
          Your agents stop, and they, your keys and your sessions are gone for good. What the law
          wants kept of payments stays.
        </p>
        <Field label="Your email, to confirm" name="address" autocomplete="off" />
        <Field
          label="Your password"
          name="password"
          type="password"
          autocomplete="current-password"
          hint="Leave it empty if you sign in without one."
        />
      </Form>
    </details>
  )
}
