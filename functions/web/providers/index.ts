import { beginCodehostSignIn, beginIdpSignIn } from './begin.ts'
import { finishCodehostSignIn, finishIdpSignIn } from './callback.ts'

export const routes = [beginIdpSignIn, finishIdpSignIn, beginCodehostSignIn, finishCodehostSignIn]
