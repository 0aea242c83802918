import { proceduresHandler } from '#functions/common/procedures.ts'
import * as module from '#functions/invoked/signer.ts'
import { tokenOf, type UsdcSettings } from '#shared/money/evm/usdc.ts'
import { agentPaymentProcedures } from '#shared/network/agent-payments/signing/port.ts'
import { plainSeals } from '#shared/network/signer/keys/seal.ts'
import { signerProcedures } from '#shared/network/signer/port.ts'
import { paymentProcedures } from '#shared/network/splits/signing/port.ts'
import { procedureClient } from '#shared/platform/procedures/client.ts'
import type { Table } from '#shared/platform/table/port.ts'

/** The encryption key of wallets in tests. */
export const walletKey = 'the key that wallets of tests are sealed with'

/** Base's chain id; the address of Base's USDC is also used on the tests' chain. */
const base = { EVM_CHAIN_ID: 8453 }

/**
 * Starts the signer over a test's table, in the test's process. Carrier and client are the platform's, and exchange
 * JSON as over Lambda's Invoke.
 */
export function testSigner(
  table: Table,
  encryptionKey: string = walletKey,
  chain: Pick<UsdcSettings, 'EVM_CHAIN_ID' | 'USDC_ADDRESS'> = base,
) {
  const keys = plainSeals(encryptionKey || undefined)
  const wire = () => ({
    services: { table, keys, chainId: chain.EVM_CHAIN_ID, usdc: tokenOf(chain) },
  })
  const handler = proceduresHandler({ ...module, wire }, { FUNCTION_NAME: 'signer' })
  const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
  const declared = { ...signerProcedures, ...paymentProcedures, ...agentPaymentProcedures }
  return procedureClient(declared, async (call) => json(await handler(json(call))))
}
