import { platform } from '../../app/platform.ts'
import { query, safeNext } from '../../app/router.ts'
import { enter } from '../../app/session.ts'
import { signInFault, Wrong } from '../../app/words.ts'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Head } from '../../ui/parts.tsx'

/** `/login`. */
export default function SignIn() {
  const { value } = query
  const code = value.get('error')
  const next = safeNext(value.get('next'))

  async function signIn({ email = '', password = '' }: Record<string, string>) {
    if (email.trim() === '' || password === '')
      throw new Wrong('Fill in your email and your password.')
    await platform.post('/api/auth/login', { email, password })
    await enter(next ?? '/dashboard')
  }

  return (
    <>
      <Head title="Sign in" lead="Welcome back. Your agents kept the lights on." />
      {value.get('verified') === '1' && (
        <p class="news" role="status">
          Your email is verified. Sign in to go on.
        </p>
      )}
      <Form
        action="Sign in"
        onSend={signIn}
        fault={code === null ? undefined : signInFault(code)}
        aside={<a href="/forgot-password">Forgot password?</a>}
      >
        <Field label="Email" name="email" type="email" autocomplete="username" required />
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
        />
      </Form>
      <p class="meta">
        New here? <a href="/register">Create an account</a>
      </p>
    </>
  )
}
