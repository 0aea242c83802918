import { getCsrfToken } from './csrf.ts'
import { signIn } from './login.ts'
import { getSession } from './session.ts'
import { signOut } from './signout.ts'

export const routes = [signIn, getSession, signOut, getCsrfToken]
