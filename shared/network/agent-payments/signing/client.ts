import type { Settings } from '#shared/platform/config/settings.ts'
import { procedureClient } from '#shared/platform/procedures/client.ts'
import { lambdaInvoke } from '#shared/platform/procedures/lambda.ts'
import type { Origin } from '#shared/platform/queues/port.ts'
import { agentPaymentProcedures, type AgentPaymentSigner } from './port.ts'

/** Returns the client of the signer’s procedure for payments of agents. */
export function openAgentPaymentSigner({
  LAMBDA_ENDPOINT: endpoint,
  SIGNER_FUNCTION: functionName,
}: Pick<Settings, 'LAMBDA_ENDPOINT' | 'SIGNER_FUNCTION'>): (origin: Origin) => AgentPaymentSigner {
  return procedureClient(agentPaymentProcedures, lambdaInvoke({ functionName, endpoint }))
}
