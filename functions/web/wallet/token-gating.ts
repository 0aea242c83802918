import { endpointDescription } from '../../../shared/farcaster/schema.ts'
import { gateAnswer, gateRequest } from '../../../shared/token-gating/schema.ts'
import { route } from './services.ts'

const path = '/api/auth/token-gating/verify'

export const verifyGate = route({
  method: 'POST',
  path,
  summary: 'Prove that a wallet holds a token',
  tag: 'accounts',
  guard: 'none',
  body: gateRequest,
  response: gateAnswer,
  errors: ['bad-request', 'unauthorized', 'forbidden', 'internal', 'unavailable'],
  handle: async (context, { body }) => {
    // Loaded with the first who asks: wallet sign-in starts without the contract encoders.
    const { verifyHolder } = await import('../../../shared/token-gating/verify.ts')
    return verifyHolder(context, body)
  },
})

export const describeGate = route({
  method: 'GET',
  path,
  summary: 'What proves that a wallet holds a token',
  tag: 'accounts',
  guard: 'none',
  response: endpointDescription,
  errors: [],
  handle: ({ gate }) => ({
    endpoint: path,
    method: 'POST',
    description: 'Proves by a signed message and balanceOf that a wallet holds enough of a token',
    accepts: [
      {
        fields: ['address', 'message', 'signature'],
        configured: gate.evm.url !== undefined && gate.tokenAddress !== undefined,
      },
      {
        fields: ['address', 'message', 'signature', 'tokenAddress', 'minimumBalance'],
        configured: gate.evm.url !== undefined,
      },
    ],
  }),
})
