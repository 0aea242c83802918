import { platform } from '../../base/platform.ts'
import { query, safeNext, withNext } from '../../base/router.ts'
import { enter } from '../../base/session.ts'
import { InputError } from '../../base/words.ts'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Head } from '../../ui/parts.tsx'
import { OtherWays } from './other-ways.tsx'

/** `/register`. `?ref=` is a referral code, `?next=` is the next page. */
export function Register() {
  const referralCode = query.value.get('ref')
  const next = safeNext(query.value.get('next'))

  async function register({ name = '', email = '', password = '' }: Record<string, string>) {
    if (email.trim() === '') throw new InputError('Fill in your email.')
    if (password.length < 8) throw new InputError('Choose a password of at least 8 characters.')
    await platform.auth.register({
      email,
      password,
      ...(name.trim() !== '' && { name }),
      ...(referralCode !== null && { referralCode }),
    })
    await platform.auth.signIn({ email, password })
    // A new account's dashboard is empty, so it starts with a plan and an agent.
    await enter(next === undefined || next === '/dashboard' ? '/welcome' : next)
  }

  return (
    <>
      <Head title="Create your account" lead="Your first agent runs in a minute." />
      <Form action="Create account" onSend={register}>
        <Field label="Name" name="name" autocomplete="name" />
        <Field label="Email" name="email" type="email" autocomplete="email" required />
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="new-password"
          hint="At least 8 characters. A sentence is fine."
          required
        />
      </Form>
      <OtherWays to="/welcome" />
      <p class="meta">
        Already have an account? <a href={withNext('/login', next)}>Sign in</a>
      </p>
    </>
  )
}
