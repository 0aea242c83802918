import type { Settings } from '../../platform/config/settings.ts'
import { procedureClient } from '../../platform/procedures/client.ts'
import { lambdaInvoke } from '../../platform/procedures/lambda.ts'
import type { Origin } from '../../platform/queues/port.ts'
import { paymentProcedures, type PaymentSigner } from './port.ts'

/** Returns the client of the signer's procedures for payments. */
export function openPaymentSigner({
  LAMBDA_ENDPOINT: endpoint,
  SIGNER_FUNCTION: functionName,
}: Pick<Settings, 'LAMBDA_ENDPOINT' | 'SIGNER_FUNCTION'>): (origin: Origin) => PaymentSigner {
  return procedureClient(paymentProcedures, lambdaInvoke({ functionName, endpoint }))
}
