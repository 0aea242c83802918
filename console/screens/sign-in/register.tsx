import { platform } from '../../app/platform.ts'
import { query } from '../../app/router.ts'
import { enter } from '../../app/session.ts'
import { Wrong } from '../../app/words.ts'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Head } from '../../ui/parts.tsx'

/** `/register`, which also takes a referral code: `?ref=`. */
export default function Register() {
  const referralCode = query.value.get('ref')

  async function register({ name = '', email = '', password = '' }: Record<string, string>) {
    if (email.trim() === '') throw new Wrong('Fill in your email.')
    if (password.length < 8) throw new Wrong('Choose a password of at least 8 characters.')
    await platform.post('/api/register', {
      email,
      password,
      ...(name.trim() !== '' && { name }),
      ...(referralCode !== null && { referralCode }),
    })
    await platform.post('/api/auth/login', { email, password })
    await enter('/welcome')
  }

  return (
    <>
      <Head title="Create your account" lead="From here to an agent that answers takes a minute." />
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
      <p class="meta">
        Already have an account? <a href="/login">Sign in</a>
      </p>
    </>
  )
}
