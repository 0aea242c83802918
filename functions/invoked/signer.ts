import { tokenOf } from '#shared/money/evm/usdc.ts'
import { agentPaymentProcedures } from '#shared/network/agent-payments/signing/port.ts'
import { signPayment } from '#shared/network/agent-payments/signing/sign.ts'
import { keySeals } from '#shared/network/signer/keys/seal.ts'
import { signMessage } from '#shared/network/signer/message/sign.ts'
import { signerProcedures } from '#shared/network/signer/port.ts'
import { createWallet } from '#shared/network/signer/wallet/create.ts'
import { paymentProcedures } from '#shared/network/splits/signing/port.ts'
import { fillNonces, replacePayments } from '#shared/network/splits/signing/replace-payments.ts'
import { signPayments } from '#shared/network/splits/signing/sign.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { proceduresWith } from '../common/procedures.ts'

/** Creates agents' wallets and signs with them. No other function has access to a private key. */
export const procedures = proceduresWith<typeof wire>()(
  { ...signerProcedures, ...paymentProcedures, ...agentPaymentProcedures },
  {
    createWallet: (ctx, input) => createWallet(ctx, input),
    signMessage: (ctx, input) => signMessage(ctx, input),
    signPayments: (ctx, input) => signPayments(ctx, input),
    replacePayments: (ctx, input) => replacePayments(ctx, input),
    fillNonces: (ctx, input) => fillNonces(ctx, input),
    signPayment: (ctx, input) => signPayment(ctx, input),
  },
)

export function wire(config: ConfigOf<'signer'>) {
  return {
    services: {
      table: openTable(config),
      keys: keySeals(config),
      chainId: config.EVM_CHAIN_ID,
      usdc: tokenOf(config),
    },
  }
}
