import type { Settings } from '#shared/platform/config/settings.ts'
import { procedureClient } from '#shared/platform/procedures/client.ts'
import { lambdaInvoke } from '#shared/platform/procedures/lambda.ts'
import type { Origin } from '#shared/platform/queues/port.ts'
import { paymentProcedures, type PaymentSigner } from './port.ts'

/** Returns the client of the signer's procedures for payments. */
export function openPaymentSigner({
  LAMBDA_ENDPOINT: endpoint,
  SIGNER_FUNCTION: functionName,
}: Pick<Settings, 'LAMBDA_ENDPOINT' | 'SIGNER_FUNCTION'>): (origin: Origin) => PaymentSigner {
  return procedureClient(paymentProcedures, lambdaInvoke({ functionName, endpoint }))
}
