import { changeOwnPassword } from './change-password.ts'
import { forgotPassword } from './forgot-password.ts'
import { changeHeartbeat, getHeartbeat, resetHeartbeat } from './heartbeat.ts'
import { registerUser } from './register.ts'
import { resetForgottenPassword } from './reset-password.ts'
import { changeSettings, getSettings, patchSettings } from './settings.ts'
import { openVerificationLink } from './verify-email.ts'

export const routes = [
  getHeartbeat,
  changeHeartbeat,
  resetHeartbeat,
  registerUser,
  openVerificationLink,
  forgotPassword,
  resetForgottenPassword,
  getSettings,
  changeSettings,
  patchSettings,
  changeOwnPassword,
]
