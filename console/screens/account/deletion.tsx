import { platform } from '../../base/platform.ts'
import { leave } from '../../base/session.ts'
import { InputError } from '../../base/words.ts'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'

/** Deletes the account. The user must type its address, because all agents are deleted too. */
export function Deletion({ email }: { email: string }) {
  async function remove({ address = '', password = '' }: Record<string, string>) {
    if (address.trim().toLowerCase() !== email.toLowerCase())
      throw new InputError('This does not match the email of this account.')
    await platform.account.delete(password === '' ? { confirm: email } : { password })
    sessionStorage.clear()
    leave('/login')
  }

  return (
    <details class="card fold">
      <summary>Delete this account</summary>
      <Form action="Delete account" onSend={remove} danger>
        <p class="meta">
          This permanently deletes your agents, keys and sessions. Payment records that the law
          requires are kept.
        </p>
        <Field label="Your email, to confirm" name="address" autocomplete="off" />
        <Field
          label="Your password"
          name="password"
          type="password"
          autocomplete="current-password"
          hint="Leave empty if your account has no password."
        />
      </Form>
    </details>
  )
}
