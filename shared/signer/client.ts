import type { Settings } from '../platform/config/settings.ts'
import { procedureClient } from '../platform/procedures/client.ts'
import { lambdaInvoke } from '../platform/procedures/lambda.ts'
import { type SignerFor, signerProcedures } from './port.ts'

/** Returns a client of the signer from the settings of a function that may invoke it. */
export function openSigner({
  LAMBDA_ENDPOINT: endpoint,
  SIGNER_FUNCTION: functionName,
}: Pick<Settings, 'LAMBDA_ENDPOINT' | 'SIGNER_FUNCTION'>): SignerFor {
  return procedureClient(signerProcedures, lambdaInvoke({ functionName, endpoint }))
}
