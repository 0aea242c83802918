import type { CloneContext } from '../../../shared/agents/clone/clone.ts'
import type { VerificationContext } from '../../../shared/agents/verification/verify.ts'
import { routesWith } from '../../../shared/http/route.ts'

export interface ProofServices extends VerificationContext, CloneContext {}

export const route = routesWith<ProofServices>()
