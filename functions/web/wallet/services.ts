import type { QuickAuth } from '../../../shared/farcaster/identity.ts'
import type { FarcasterContext } from '../../../shared/farcaster/verify.ts'
import { routesWith } from '../../../shared/http/route.ts'
import type { Settings } from '../../../shared/platform/config/settings.ts'
import type { Table } from '../../../shared/platform/table/port.ts'
import type { GateContext } from '../../../shared/token-gating/verify.ts'

export interface WalletServices extends GateContext, FarcasterContext {
  /** Whether FARCASTER_AUTH_ISSUER is set. */
  quickAuthConfigured: boolean
}

export const route = routesWith<WalletServices>()

export type WalletSettings = Pick<
  Settings,
  | 'EVM_CHAIN_ID'
  | 'EVM_RPC_URL'
  | 'FARCASTER_AUTH_ISSUER'
  | 'FARCASTER_RPC_URL'
  | 'TOKEN_GATE_ADDRESS'
  | 'TOKEN_GATE_MINIMUM'
  | 'WALLET_ENCRYPTION_KEY'
  | 'WEB_URL'
>

export function walletServices(settings: WalletSettings, table: Table): WalletServices {
  const evm = { url: settings.EVM_RPC_URL, setting: 'EVM_RPC_URL' } as const
  return {
    table,
    webUrl: settings.WEB_URL,
    chainId: settings.EVM_CHAIN_ID,
    evm,
    gate: {
      evm,
      tokenAddress: settings.TOKEN_GATE_ADDRESS,
      minimum: settings.TOKEN_GATE_MINIMUM,
    },
    farcaster: { url: settings.FARCASTER_RPC_URL, setting: 'FARCASTER_RPC_URL' },
    quickAuth: lazyQuickAuth(settings),
    quickAuthConfigured: settings.FARCASTER_AUTH_ISSUER !== undefined,
    encryptionKey: settings.WALLET_ENCRYPTION_KEY,
  }
}

/** Loads jose with the first token, and keeps the issuer's keys after it. */
function lazyQuickAuth({ FARCASTER_AUTH_ISSUER, WEB_URL }: WalletSettings): QuickAuth {
  let loaded: Promise<QuickAuth> | undefined
  return async (token) => {
    loaded ??= import('../../../shared/farcaster/quick-auth.ts').then(({ remoteQuickAuth }) =>
      remoteQuickAuth(FARCASTER_AUTH_ISSUER, WEB_URL),
    )
    return (await loaded)(token)
  }
}
