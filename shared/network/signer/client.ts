import type { Settings } from '#shared/platform/config/settings.ts'
import { procedureClient } from '#shared/platform/procedures/client.ts'
import { lambdaInvoke } from '#shared/platform/procedures/lambda.ts'
import { type SignerFor, signerProcedures } from './port.ts'

/** Returns a client of the signer from the settings of a function that may invoke it. */
export function openSigner({
  LAMBDA_ENDPOINT: endpoint,
  SIGNER_FUNCTION: functionName,
}: Pick<Settings, 'LAMBDA_ENDPOINT' | 'SIGNER_FUNCTION'>): SignerFor {
  return procedureClient(signerProcedures, lambdaInvoke({ functionName, endpoint }))
}
