import { batch, signal } from '@preact/signals'
import { platform, PlatformError } from './platform.ts'
import { go, signInPath } from './router.ts'

export interface User {
  id: string
  name: string
  email: string
  isAdmin: boolean
}

/** Who is signed in; null without anyone, undefined until that is known. */
export const user = signal<User | null | undefined>(undefined)

/** Asks who is signed in. */
export async function loadSession(): Promise<void> {
  user.value = await whoIsThere()
}

/** Begins what the session opens: who is signed in and where they go change as one. */
export async function enter(to: string): Promise<void> {
  const found = await whoIsThere()
  batch(() => {
    user.value = found
    if (found !== null) go(to, { replace: true })
  })
}

async function whoIsThere(): Promise<User | null> {
  return (await platform.get<{ user: User | null }>('/api/auth/session')).user
}

/** Ends the session; Back then leads to what needs one, and so to the sign-in page. */
export async function signOut(): Promise<void> {
  await platform.post('/api/auth/signout', {})
  leave('/login')
}

/** Forgets who was signed in. */
export function leave(to: string): void {
  batch(() => {
    user.value = null
    go(to, { replace: true })
  })
}

/** What an error of the platform means for the session: one that has ended leads to the sign-in page. */
export function heed(error: unknown): void {
  if (!(error instanceof PlatformError) || error.status !== 401) return
  if (!user.value) return
  leave(signInPath())
}
