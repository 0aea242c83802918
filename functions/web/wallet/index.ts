import { describeRefresh, describeVerify, refresh, verify } from './farcaster.ts'
import { getNonce, postNonce } from './nonce.ts'
import { walletSignIn } from './sign-in.ts'
import { describeGate, verifyGate } from './token-gating.ts'

export const routes = [
  getNonce,
  postNonce,
  walletSignIn,
  describeVerify,
  verify,
  describeRefresh,
  refresh,
  describeGate,
  verifyGate,
]
