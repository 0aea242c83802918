import { cloneAgent } from './clone.ts'
import { describeClone } from './describe-clone.ts'
import { getVerification } from './get-verification.ts'
import { removeVerification } from './remove-verification.ts'
import { verifyAgent } from './verify.ts'

export const routes = [describeClone, cloneAgent, getVerification, verifyAgent, removeVerification]
