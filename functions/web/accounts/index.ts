import { changeOwnPassword } from './change-password.ts'
import { getCsrfToken } from './csrf.ts'
import { forgotPassword } from './forgot-password.ts'
import { signIn } from './login.ts'
import { registerUser } from './register.ts'
import { resetForgottenPassword } from './reset-password.ts'
import { getSession } from './session.ts'
import { changeSettings, getSettings, patchSettings } from './settings.ts'
import { signOut } from './signout.ts'
import { openVerificationLink } from './verify-email.ts'

export const routes = [
  registerUser,
  signIn,
  getSession,
  signOut,
  getCsrfToken,
  openVerificationLink,
  forgotPassword,
  resetForgottenPassword,
  getSettings,
  changeSettings,
  patchSettings,
  changeOwnPassword,
]
