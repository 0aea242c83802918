import { getCsrfToken } from './csrf.ts'
import { signIn } from './login.ts'
import { registerUser } from './register.ts'
import { getSession } from './session.ts'
import { getSettings } from './settings.ts'
import { signOut } from './signout.ts'
import { openVerificationLink } from './verify-email.ts'

export const routes = [
  registerUser,
  signIn,
  getSession,
  signOut,
  getCsrfToken,
  openVerificationLink,
  getSettings,
]
