import { signal } from '@preact/signals'
import { reference } from './data.ts'

/** The name of the signed-in user; null without one, undefined until that is known or where the surface has no sessions. */
export const signedIn = signal<string | null | undefined>(undefined)

/** Asks who is signed in, where people sign in: the web surface. */
export async function loadSession(): Promise<void> {
  if (reference.surface !== 'web') return
  const answer = await fetch('/api/auth/session').catch(() => undefined)
  if (answer?.ok !== true) return
  const { user } = (await answer.json()) as { user: { name: string; email: string } | null }
  signedIn.value = user && (user.name || user.email)
}

/** The sign-in page, which leads back to what is shown here. */
export function signInPath(): string {
  return `/login?next=${encodeURIComponent(`/docs${location.hash}`)}`
}
