import { useEffect, useState } from 'preact/hooks'
import { platform } from '../../base/platform.ts'
import { query, safeNext, withNext } from '../../base/router.ts'
import { enter } from '../../base/session.ts'
import { InputError } from '../../base/words.ts'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Head } from '../../ui/parts.tsx'
import { OtherWays } from './other-ways.tsx'

/** `/login`. */
export function SignIn() {
  const { value } = query
  const code = value.get('error')
  const next = safeNext(value.get('next'))

  const [fault, setFault] = useState<string>()

  useEffect(() => {
    if (code === null) return
    // Most visits have no error, so the messages are in their own file.
    import('./faults.ts').then(
      ({ signInFault }) => setFault(signInFault(code)),
      () => setFault('Sign-in failed. Try again.'),
    )
  }, [code])

  async function signIn({ email = '', password = '' }: Record<string, string>) {
    if (email.trim() === '' || password === '')
      throw new InputError('Fill in your email and your password.')
    await platform.auth.signIn({ email, password })
    await enter(next ?? '/dashboard')
  }

  return (
    <>
      <Head title="Sign in" lead="Welcome back." />
      {value.get('verified') === '1' && (
        <p class="news" role="status">
          Your email is verified. Sign in to continue.
        </p>
      )}
      <Form
        action="Sign in"
        onSend={signIn}
        fault={fault}
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
      <OtherWays to={next ?? '/dashboard'} />
      <p class="meta">
        New here? <a href={withNext('/register', next)}>Create an account</a>
      </p>
    </>
  )
}
