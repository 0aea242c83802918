import { signal } from '@preact/signals'
import { reference } from './data.ts'

/** The name of the signed-in user. Null if signed out, undefined before it is loaded or if the surface has no sessions. */
export const signedIn = signal<string | null | undefined>(undefined)

/** Loads the signed-in user. Only the web surface has sessions. */
export async function loadSession(): Promise<void> {
  if (reference.surface !== 'web') return
  const answer = await fetch('/api/auth/session').catch(() => undefined)
  if (answer?.ok !== true) return
  const { user } = (await answer.json()) as { user: { name: string; email: string } | null }
  signedIn.value = user && (user.name || user.email)
}

/** Returns the path of the sign-in page, which returns to the current place. */
export function signInPath(): string {
  return `/login?next=${encodeURIComponent(`/docs${location.hash}`)}`
}
